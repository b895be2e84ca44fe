#!/bin/sh
# The same as exec.sh, for one node after another: a line of input, a line of output.
reply='{"configuration":{"plugin.choria.server.provision":"false","plugin.choria.broker_urls":"nats://broker1.example.net:4222,nats://broker2.example.net:4222","plugin.security.provider":"choria","collectives":"mcollective,site","registerinterval":"300","registration":"file_content","classesfile":"/opt/site/classes.txt","loglevel":"info"}}'
while read -r _; do
  printf '%s\n' "$reply"
done
