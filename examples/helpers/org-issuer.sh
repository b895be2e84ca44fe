#!/bin/sh
# Enrols nodes into an organisation: for a site whose nodes prove who they are with tokens that Slipway signs
# (features.ed25519, jwt_signing_key). The node makes its key and keeps it; Slipway writes the token for it.
#
# Needs sed. The organisation's public key is read from a file, as "slipway keys new KEY --public FILE" writes it.
# The brokers have it too, and believe no token that does not come of it.

set -eu
issuer_file=${ORG_ISSUER_FILE:-/etc/slipway/issuer.public}

later() {
  printf '{"defer": true, "msg": "%s", "retry_after": "1m"}\n' "$1"
  exit 0
}

# Slipway writes its input on one line, in an order that does not change:
#   {"identity":"…","csr":null,"ed25519_pubkey":{"public_key":"…","directory":"…","signature":"…"},…
# and what a node can fill as it likes comes after that. So these few values can be read without a JSON parser. For
# more of the input, such as facts, use jq or another language.
request=$(cat)
value() { printf '%s\n' "$request" | sed -n "s/^{\"identity\":\"$1.*/\\1/p"; }
identity=$(value '\([a-z0-9._-]*\)"')
directory=$(value '[a-z0-9._-]*","csr":null,"ed25519_pubkey":{"public_key":"[0-9a-f]*","directory":"\([^"\\]*\)"')

[ -n "$identity" ] || { echo 'org-issuer.sh: the input is not what Slipway writes' >&2; exit 1; }
[ -n "$directory" ] || later 'there is no key of the node: is features.ed25519 set?'
[ -r "$issuer_file" ] || later "the public key of the organisation cannot be read: $issuer_file"
issuer=$(tr -d '[:space:]' <"$issuer_file")

# "plugin.choria.server.provision" takes the node out of provisioning mode: without it the node would come back for
# more. server_claims go into the token; "exp" is in seconds from now, a year here.
cat <<REPLY
{
  "configuration": {
    "identity": "$identity",
    "plugin.choria.server.provision": "false",
    "plugin.security.provider": "choria",
    "plugin.security.issuer.names": "choria",
    "plugin.security.issuer.choria.public": "$issuer",
    "plugin.security.choria.token_file": "$directory/server.jwt",
    "plugin.security.choria.seed_file": "$directory/server.seed",
    "plugin.choria.middleware_hosts": "broker.example.net:4222",
    "collectives": "choria",
    "registerinterval": "300"
  },
  "server_claims": {
    "exp": 31536000,
    "permissions": { "streams": true, "submission": true }
  }
}
REPLY
