#!/bin/sh
# As stamped.sh, and reads nothing of what it is told: it starts no other program, which makes it the quickest.
read -r stamp </proc/sys/kernel/random/uuid
echo "{\"configuration\": {\"plugin.choria.server.provision\": \"false\", \"stamp\": \"$stamp\"},
 \"action_policies\": {\"stamp.policy\": \"$stamp\"},
 \"opa_policies\": {\"stamp.rego\": \"$stamp\"}}"
