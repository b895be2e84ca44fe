#!/bin/sh
# Has nothing to say of the node of this number, and configures all others.
#
#   nothing-for.sh NUMBER

request=$(head -c 200)
[ "$(expr "$request" : '.*"identity": *"node-0*\([0-9]*\)')" != "$1" ] || exit 0
echo '{"configuration": {"plugin.choria.server.provision": "false"}}'
