#!/bin/sh
# The x509 example with a stamp in the configuration and in every policy, which says whose helper this is. The CA is
# that of X509_CA_DIR.
#
#   stamped-x509.sh NAME
set -eu
read -r uuid </proc/sys/kernel/random/uuid
stamp=$1-$uuid
reply=$("$(dirname "$0")/../../../examples/helpers/x509.sh")
printf '%s\n' "$reply" | sed "s/^  \"configuration\": {\$/\
  \"action_policies\": {\"stamp.policy\": \"$stamp\"}, \"opa_policies\": {\"stamp.rego\": \"$stamp\"},\
  \"configuration\": { \"stamp\": \"$stamp\",/"
