#!/bin/sh
# A certificate authority small enough to try things with, where your own signing command would be. x509.sh and
# x509.py call it. Needs openssl, 1.1.1 or newer.
#
#   x509-ca.sh sign IDENTITY <request.pem >certificate.pem
#   x509-ca.sh ca >ca.pem
#
# Exit codes: 0 done; 75 not now, so that a helper defers; anything else is a failure, with the reason on standard
# error.
#
# The CA lives in X509_CA_DIR (by default .slipway-example-ca in your home folder) and is made at first use. Only its
# owner can read it: whoever has its key can make a certificate in any name. Certificates last X509_DAYS, 365.

set -eu
umask 077
dir=${X509_CA_DIR:-${HOME:?set HOME or X509_CA_DIR}/.slipway-example-ca}
file=$dir/ca-with-key.pem
days=${X509_DAYS:-365}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What certificates are to be like is written here, so that nothing depends on this machine's openssl.cnf.
settings() {
  cat <<CONFIG
[req]
prompt = no
distinguished_name = name
[name]
CN = Example CA
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[node]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = DNS:$1
CONFIG
}

# Written under another name and then linked: helpers that run at once never see half of it, and where two of them
# make one, the first is taken.
make_ca() {
  if [ -e "$file" ]; then return; fi
  mkdir -p "$dir"
  settings example >"$work/settings"
  run openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -sha256 \
    -config "$work/settings" -extensions authority -keyout "$work/key.pem" -out "$work/certificate.pem"
  new=$(mktemp "$dir/new.XXXXXX")
  cat "$work/key.pem" "$work/certificate.pem" >"$new"
  ln "$new" "$file" 2>/dev/null || [ -e "$file" ] || exit 75
  rm "$new"
}

# Slipway has checked the request: its signature, its key, that IDENTITY is its only common name, and the deny list.
# Of what else it asks for nothing is taken over: other names in it do not get into the certificate.
sign() {
  settings "$1" >"$work/settings"
  cat >"$work/request.pem"
  run openssl x509 -req -in "$work/request.pem" -days "$days" -sha256 -set_serial "0x$(openssl rand -hex 16)" \
    -CA "$file" -CAkey "$file" -extfile "$work/settings" -extensions node -out "$work/certificate.pem"
  cat "$work/certificate.pem"
}

# openssl says much on standard error that is of no interest unless it fails.
run() { "$@" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }; }

case "${1-} $#" in
'ca 1') make_ca && openssl x509 -in "$file" ;;
'sign 2')
  # The name goes into a file of settings: a line break would be another setting.
  case $2 in '' | *[!a-z0-9._-]*) echo "x509-ca.sh: that is no identity: $2" >&2 && exit 2 ;; esac
  make_ca && sign "$2"
  ;;
*) echo 'usage: x509-ca.sh ca | x509-ca.sh sign IDENTITY <request.pem' >&2 && exit 2 ;;
esac
