#!/bin/sh
# The helper of a site whose test says what it does for each node: in FOLDER, NODE.1 is what it does instead of answering
# the first time that it is asked about the node, NODE.2 the second time, and NODE.reply the keys that its answer has
# beside the configuration. With X509_CA_DIR nodes get certificates, as in the x509 example.
#
#   site-helper.sh FOLDER EXAMPLES
folder=$1 examples=$2
request=$(cat)
node=$(printf '%s\n' "$request" | sed -n 's/^{"identity":"\([a-z0-9._-]*\)".*/\1/p')

answer() {
  if [ -n "${X509_CA_DIR:-}" ]; then
    printf '%s\n' "$request" | "$examples/x509.sh"
    return
  fi
  # Two configurations of a node always differ, and parts of different ones are told apart.
  read -r stamp </proc/sys/kernel/random/uuid
  [ ! -f "$folder/$node.reply" ] || more=$(cat "$folder/$node.reply"),
  echo "{${more:-}\"configuration\": {\"plugin.choria.server.provision\": \"false\", \"stamp\": \"$stamp\"},
    \"action_policies\": {\"stamp.policy\": \"$stamp\"}, \"opa_policies\": {\"stamp.rego\": \"$stamp\"}}"
}

# Which time it is: a folder can be made once.
for time in 1 2; do
  mkdir "$folder/$node.asked.$time" 2>/dev/null || continue
  [ ! -f "$folder/$node.$time" ] || . "$folder/$node.$time"
  break
done
answer
