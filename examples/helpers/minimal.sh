#!/bin/sh
# The smallest useful helper: every node gets the same configuration. It does not read its input, which is
# allowed, and starts no other program, so that it is fast.

printf '%s\n' '{
  "configuration": {
    "plugin.choria.server.provision": "false",
    "collectives": "mcollective",
    "registerinterval": "300",
    "loglevel": "info"
  }
}'
