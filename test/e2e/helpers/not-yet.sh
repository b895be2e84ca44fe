#!/bin/sh
# Leaves nodes in provisioning mode for as long as there is no file of this name.
#
#   not-yet.sh FILE

cat >/dev/null
provision=true
[ ! -e "$1" ] || provision=false
printf '{"configuration": {"plugin.choria.server.provision": "%s"}}\n' "$provision"
