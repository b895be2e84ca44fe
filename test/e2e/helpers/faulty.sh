#!/bin/sh
# Does something else wrong for each node, by its number. The marker is in the command line of every
# process that must not be left behind.
marker=$1
request=$(head -c 200)
number=$(expr "$request" : '.*"identity": *"node-0*\([0-9]*\)')
reply='{"configuration": {"plugin.choria.server.provision": "false"}}'
case $number in
  1) exec sh -c 'sleep 600; : "$0"' "$marker" ;;
  2) sh -c 'sleep 600; : "$0"' "$marker" & echo "$reply" ;;
  3) head -c 104857600 /dev/zero | tr '\0' x >&2; echo "$reply" ;;
  # Its input is a megabyte, of which it has read the beginning.
  4) exec 0<&-; echo "$reply" ;;
  5) ;;
  6) echo '{"configuration": {"registerinterval": 300}}' ;;
  7) head -c 52428800 /dev/zero | tr '\0' x ;;
  8) echo 'no licence for this node' >&2; exit 3 ;;
  *) echo "$reply" ;;
esac
