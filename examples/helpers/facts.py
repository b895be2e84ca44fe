#!/usr/bin/env python3
"""Configures a node by its facts: nodes of a role share a collective, and retired machines are shut down."""

import json
import sys


def decide(request):
    # The inventory is a string that holds JSON, so it is decoded once more.
    inventory = json.loads(request["inventory"])
    facts = inventory["facts"]

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
    json.dump(decide(json.load(sys.stdin)), sys.stdout)
