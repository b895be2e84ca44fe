#!/usr/bin/env python3
"""Gives each node a certificate: for a site with a certificate authority (features.pki).

The node makes its key and keeps it; Slipway checks the request that it makes with it, and this helper has it signed.
Your own signing command goes where x509-ca.sh is: it reads a request in PEM and prints a certificate in PEM.
"""

import json
import os
import subprocess
import sys

CA = os.environ.get("X509_CA", os.path.join(os.path.dirname(os.path.abspath(__file__)), "x509-ca.sh"))
NOT_NOW = 75


class Later(Exception):
    """The node can be configured, but not now."""


def run_ca(*words, request=""):
    """Runs the signing command. What it writes to standard error gets into the provisioner's log if we fail."""
    done = subprocess.run([CA, *words], input=request, stdout=subprocess.PIPE, text=True, timeout=8)
    if done.returncode == NOT_NOW:
        raise Later("the certificate authority cannot sign now")
    done.check_returncode()
    return done.stdout


def decide(request):
    csr = request["csr"]
    if not csr or not csr["ssldir"]:
        raise Later("there is no certificate signing request: is features.pki set?")
    identity, ssldir = request["identity"], csr["ssldir"]

    return {
        "certificate": run_ca("sign", identity, request=csr["csr"]),
        "ca": run_ca("ca"),
        "ssldir": ssldir,
        "configuration": {
            "identity": identity,
            # Out of provisioning mode: without this the node would come back for more.
            "plugin.choria.server.provision": "false",
            "plugin.security.provider": "file",
            "plugin.security.file.certificate": os.path.join(ssldir, "certificate.pem"),
            "plugin.security.file.key": os.path.join(ssldir, "private.pem"),
            "plugin.security.file.ca": os.path.join(ssldir, "ca.pem"),
            "plugin.security.file.cache": os.path.join(ssldir, "cache"),
            "plugin.choria.middleware_hosts": "broker.example.net:4222",
            "collectives": "mcollective",
            # Every value is a string, also where it means a number.
            "registerinterval": str(300),
        },
    }


if __name__ == "__main__":
    try:
        reply = decide(json.load(sys.stdin))
    except Later as reason:
        reply = {"defer": True, "msg": str(reason), "retry_after": "1m"}
    except subprocess.TimeoutExpired:
        # Sooner than the provisioner's own limit, helper_timeout, would end us.
        reply = {"defer": True, "msg": "the certificate authority takes too long", "retry_after": "1m"}
    json.dump(reply, sys.stdout)
