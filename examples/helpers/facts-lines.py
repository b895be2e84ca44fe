#!/usr/bin/env python3
"""Decides as facts.py does, in a process that lives on from node to node: for `helper_mode: persistent`.

What takes long, such as connecting to a database, is done once, before the loop. An exception ends the process: the
node fails with what it says, and another process is started for the next one.
"""

import json
import sys


def decide(request):
    # The inventory is a string that holds JSON, so it is decoded once more.
    facts = json.loads(request["inventory"])["facts"]

    if facts.get("retired"):
        return {"shutdown": True, "msg": "this machine is retired"}
    if facts.get("role") == "unassigned":
        return {"defer": True, "msg": "waiting for a role", "retry_after": "10m"}

    collectives = ["mcollective"]
    if facts.get("role"):
        collectives.append(str(facts["role"]))

    return {
        "configuration": {
            # Out of provisioning mode: without this the node would come back for more.
            "plugin.choria.server.provision": "false",
            "identity": request["identity"],
            "collectives": ",".join(collectives),
            # Every value is a string, also where it means a number.
            "registerinterval": str(300),
        }
    }


if __name__ == "__main__":
    # The loop ends when the provisioner closes standard input.
    for line in sys.stdin:
        request = json.loads(line)
        # Says for which node it is: an answer that got out of step is refused, and configures no other node.
        reply = {"identity": request["identity"], **decide(request)}
        # One line, and at once: without flush it would wait in a buffer until there is more.
        print(json.dumps(reply), flush=True)
