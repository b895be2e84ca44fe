#!/bin/sh
# For helper_mode: persistent. Does something else wrong for each node, by its number. The marker is in the command line
# of every process that must not be left behind.
marker=$1
reply='{"configuration": {"plugin.choria.server.provision": "false"}}'
while IFS= read -r request; do
  number=$(expr "$request" : '{"identity":"node-0*\([0-9]*\)')
  case $number in
    1) sh -c 'sleep 600; : "$0"' "$marker" ;;
    2) sh -c 'sleep 600; : "$0"' "$marker" & echo "$reply" ;;
    3) head -c 104857600 /dev/zero | tr '\0' x >&2; echo "$reply" ;;
    4) exec 0<&-; echo "$reply" ;;
    5) echo ;;
    6) echo '{"configuration": {"registerinterval": 300}}' ;;
    7) head -c 52428800 /dev/zero | tr '\0' x ;;
    8) echo 'no licence for this node' >&2; exit 3 ;;
    9) printf '%s\n%s\n' "$reply" "$reply" ;;
    10) printf '%s\n\n' "$reply" ;;
    11) echo "$reply"; exit 0 ;;
    *) echo "$reply" ;;
  esac
done
