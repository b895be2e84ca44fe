#!/bin/sh
# As stamped.sh, and every part says whose helper this is. The server token carries the stamp, too, and so does what
# stands for a CA.
#
#   stamped-by.sh NAME
cat >/dev/null
read -r uuid </proc/sys/kernel/random/uuid
stamp=$1-$uuid
cat <<REPLY
{"configuration": {"plugin.choria.server.provision": "false", "stamp": "$stamp"},
 "action_policies": {"stamp.policy": "$stamp"},
 "opa_policies": {"stamp.rego": "$stamp"},
 "ca": "$stamp",
 "server_claims": {"collectives": ["$stamp"]}}
REPLY
