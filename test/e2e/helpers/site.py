#!/usr/bin/env python3
# A site's helper in Python, written for Choria Provisioner.

import json
import sys

request = json.loads(sys.stdin.read())
inventory = json.loads(request["inventory"])
facts = inventory["facts"]

reply = {"defer": False, "msg": "", "certificate": "", "ca": "", "configuration": {}}

try:
    family = facts["os"]["family"]
    reply["configuration"] = {
        "identity": request["identity"],
        "plugin.choria.server.provision": "false",
        "plugin.choria.middleware_hosts": "broker.example.net:4222",
        "collectives": "mcollective," + family.lower(),
        "main_collective": "mcollective",
        "registerinterval": "300",
        "serial": str(facts.get("serial_number", "")),
        "agents": ",".join(sorted(inventory["agents"])),
        "written_by": "python",
    }
    reply["msg"] = "Done"
except KeyError as e:
    reply["defer"] = True
    reply["msg"] = "fact %s is missing" % e

print(json.dumps(reply, indent=2))
