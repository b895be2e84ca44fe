#!/bin/sh
# Gives every node the same configuration; starts no other program.
cat <<'REPLY'
{"configuration":{"plugin.choria.server.provision":"false","plugin.choria.broker_urls":"nats://broker1.example.net:4222,nats://broker2.example.net:4222","plugin.security.provider":"choria","collectives":"mcollective,site","registerinterval":"300","registration":"file_content","classesfile":"/opt/site/classes.txt","loglevel":"info"}}
REPLY
