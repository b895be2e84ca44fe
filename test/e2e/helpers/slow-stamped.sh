#!/bin/sh
# Does as stamped.sh does, after so many seconds.
#
#   slow-stamped.sh SECONDS
sleep "$1"
exec "$(dirname "$0")/stamped.sh"
