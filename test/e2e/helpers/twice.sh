#!/bin/sh
# Leaves each node in provisioning mode the first time that it is asked for it.
#
#   twice.sh FOLDER
#
# FOLDER remembers who was asked for.

set -eu
identity=$(sed -n 's/^{"identity":"\([a-z0-9._-]*\)".*/\1/p')
provision=false
mkdir "$1/$identity" 2>/dev/null && provision=true
printf '{"configuration": {"plugin.choria.server.provision": "%s"}}\n' "$provision"
