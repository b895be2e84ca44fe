#!/bin/sh
# Makes what docker-compose.yml trusts: a development CA and certificates, the key that signs tokens, and the token
# that nodes boot with. Each service is then given what it needs and no more, in a volume of its own: no node gets
# to see the CA's key. What is there already is kept, so that starting again changes nothing; to have all of it made
# anew, remove the volumes ("docker-compose down --volumes").

set -eu
umask 077
cd /trust/authority

slipway certs dev certs
[ -e site.public ] || slipway keys new site.seed --public site.public --force
[ -e provisioning.jwt ] ||
  slipway token provisioning provisioning.jwt --signing-key site.seed --ca certs/ca.pem --default --force

# hand_out VOLUME FILE...: a file that is read meanwhile is there, old or new, at every moment.
hand_out() {
  to=/trust/$1
  shift
  for file; do
    cp -p "$file" "$to/.new"
    mv "$to/.new" "$to/$(basename "$file")"
  done
}
hand_out discovery certs/ca.pem certs/discovery.pem certs/discovery-key.pem site.public
hand_out provisioner certs/ca.pem certs/provisioner.pem certs/provisioner-key.pem site.public site.seed \
  provisioning.jwt.secret
hand_out nodes provisioning.jwt
