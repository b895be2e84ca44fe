#!/bin/sh
# Gives each node a certificate: for a site with a certificate authority (features.pki). The node makes its key and
# keeps it; Slipway checks the request that it makes with it, and this helper has it signed.
#
# Needs sed and awk, and for the CA of the example openssl. Your own signing command goes where x509-ca.sh is: it
# reads a request in PEM and prints a certificate in PEM.

set -eu
ca=${X509_CA:-$(dirname "$0")/x509-ca.sh}

later() {
  printf '{"defer": true, "msg": "%s", "retry_after": "1m"}\n' "$1"
  exit 0
}

# Text of several lines as the inside of a JSON string. PEM has nothing else that would need care there.
lines_to_json() { awk '{ printf "%s\\n", $0 }'; }

# Slipway writes its input on one line, in an order that does not change:
#   {"identity":"…","csr":{"csr":"…","public_key":"…","ssldir":"…"},…
# and what a node can fill as it likes comes after that. So these few values can be read without a JSON parser. For
# more of the input, such as facts, use jq or another language.
request=$(cat)
value() { printf '%s\n' "$request" | sed -n "s/^{\"identity\":\"$1.*/\\1/p"; }
identity=$(value '\([a-z0-9._-]*\)"')
csr=$(value '[a-z0-9._-]*","csr":{"csr":"\([^"]*\)"')
ssldir=$(value '[a-z0-9._-]*","csr":{"csr":"[^"]*","public_key":"[^"]*","ssldir":"\([^"\\]*\)"')

[ -n "$identity" ] || { echo 'x509.sh: the input is not what Slipway writes' >&2; exit 1; }
[ -n "$csr" ] && [ -n "$ssldir" ] || later 'there is no certificate signing request: is features.pki set?'

# Where the signing command cannot now, the node waits. Where it fails, so does this helper: what it said on standard
# error is then in the provisioner's log.
unsigned() {
  [ "$1" != 75 ] || later 'the certificate authority cannot sign now'
  exit 1
}
certificate=$(printf '%s\n' "$csr" | sed 's/\\r//g; s/\\n/\
/g' | "$ca" sign "$identity") || unsigned $?
authority=$("$ca" ca) || unsigned $?

# "plugin.choria.server.provision" takes the node out of provisioning mode: without it the node would come back for
# more. Every value is a string, also where it means a number.
cat <<REPLY
{
  "certificate": "$(printf '%s\n' "$certificate" | lines_to_json)",
  "ca": "$(printf '%s\n' "$authority" | lines_to_json)",
  "ssldir": "$ssldir",
  "configuration": {
    "identity": "$identity",
    "plugin.choria.server.provision": "false",
    "plugin.security.provider": "file",
    "plugin.security.file.certificate": "$ssldir/certificate.pem",
    "plugin.security.file.key": "$ssldir/private.pem",
    "plugin.security.file.ca": "$ssldir/ca.pem",
    "plugin.security.file.cache": "$ssldir/cache",
    "plugin.choria.middleware_hosts": "broker.example.net:4222",
    "collectives": "mcollective",
    "registerinterval": "300"
  }
}
REPLY
