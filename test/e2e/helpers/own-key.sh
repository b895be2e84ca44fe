#!/bin/sh
# Gives each node a key and a certificate, as a site does whose keys are made in one place.
#
#   own-key.sh FOLDER SIGNING-COMMAND
#
# FOLDER/IDENTITY/key.pem is the key that was given last.

set -eu
folder=$1
ca=$2
request=$(cat)
identity=$(printf '%s\n' "$request" | sed -n 's/^{"identity":"\([a-z0-9._-]*\)".*/\1/p')
lines_to_json() { awk '{ printf "%s\\n", $0 }' "$1"; }

mkdir -p "$folder/$identity"
cd "$folder/$identity"
umask 077
openssl genrsa -traditional -out key.pem 2048 2>genrsa.log || { cat genrsa.log >&2; exit 1; }
openssl req -new -key key.pem -subj "/CN=$identity" -out request.pem
"$ca" sign "$identity" <request.pem >certificate.pem
"$ca" ca >ca.pem

cat <<REPLY
{
  "key": "$(lines_to_json key.pem)",
  "certificate": "$(lines_to_json certificate.pem)",
  "ca": "$(lines_to_json ca.pem)",
  "configuration": { "identity": "$identity", "plugin.choria.server.provision": "false" }
}
REPLY
