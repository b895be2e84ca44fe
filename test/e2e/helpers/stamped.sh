#!/bin/sh
# Puts one stamp, new each time, into every part of the reply: two configurations of a node always differ,
# and parts of different ones are told apart.
cat >/dev/null
read -r stamp </proc/sys/kernel/random/uuid
cat <<REPLY
{"configuration": {"plugin.choria.server.provision": "false", "stamp": "$stamp"},
 "action_policies": {"stamp.policy": "$stamp"},
 "opa_policies": {"stamp.rego": "$stamp"}}
REPLY
