#!/bin/sh
# Waits for the file that it is given, and then does as stamped.sh does.
while [ ! -e "$1" ]; do sleep 0.1; done
exec "$(dirname "$0")/stamped.sh"
