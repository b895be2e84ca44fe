#!/usr/bin/env python3
"""Enrols nodes into an organisation: for a site whose nodes prove who they are with tokens that Slipway signs
(features.ed25519, jwt_signing_key). The node makes its key and keeps it; Slipway writes the token for it.

The organisation's public key is read from a file, as "slipway keys new KEY --public FILE" writes it. The brokers
have it too, and believe no token that does not come of it.
"""

import json
import os
import sys

ISSUER_FILE = os.environ.get("ORG_ISSUER_FILE", "/etc/slipway/issuer.public")
ORGANISATION = "choria"
YEAR = 365 * 24 * 60 * 60


class Later(Exception):
    """The node can be configured, but not now."""


def issuer_key():
    try:
        with open(ISSUER_FILE, encoding="ascii") as file:
            return file.read().strip()
    except OSError as error:
        raise Later(f"the public key of the organisation cannot be read: {ISSUER_FILE}: {error.strerror}") from error


def decide(request):
    key = request["ed25519_pubkey"]
    if not key or not key["directory"]:
        raise Later("there is no key of the node: is features.ed25519 set?")

    return {
        "configuration": {
            "identity": request["identity"],
            # Out of provisioning mode: without this the node would come back for more.
            "plugin.choria.server.provision": "false",
            "plugin.security.provider": "choria",
            "plugin.security.issuer.names": ORGANISATION,
            f"plugin.security.issuer.{ORGANISATION}.public": issuer_key(),
            "plugin.security.choria.token_file": os.path.join(key["directory"], "server.jwt"),
            "plugin.security.choria.seed_file": os.path.join(key["directory"], "server.seed"),
            "plugin.choria.middleware_hosts": "broker.example.net:4222",
            "collectives": "choria",
            # Every value is a string, also where it means a number.
            "registerinterval": str(300),
        },
        # What the token says; "exp" is in seconds from now.
        "server_claims": {
            "exp": YEAR,
            "permissions": {"streams": True, "submission": True},
        },
    }


if __name__ == "__main__":
    try:
        reply = decide(json.load(sys.stdin))
    except Later as reason:
        reply = {"defer": True, "msg": str(reason), "retry_after": "1m"}
    json.dump(reply, sys.stdout)
