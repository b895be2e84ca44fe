#!/bin/sh
# A site's helper in sh, written for Choria Provisioner: jq takes the inventory apart.

set -e

REQUEST=$(cat)

field() {
  printf '%s' "$REQUEST" | jq -r "$1"
}

IDENTITY=$(field '.identity')
FAMILY=$(field '.inventory | fromjson | .facts.os.family // ""')

if [ -z "$FAMILY" ]; then
  jq -n --arg msg "no operating system known for $IDENTITY" '{defer: true, msg: $msg}'
  exit 0
fi

jq -n --arg identity "$IDENTITY" --arg family "$FAMILY" '{
  defer: false,
  msg: "Done",
  certificate: "",
  ca: "",
  configuration: {
    identity: $identity,
    "plugin.choria.server.provision": "false",
    "plugin.choria.middleware_hosts": "broker.example.net:4222",
    collectives: ("mcollective," + ($family | ascii_downcase)),
    main_collective: "mcollective",
    registerinterval: "300",
    written_by: "sh"
  }
}'
