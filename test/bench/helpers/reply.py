"""What helpers of the benchmarks reply: facts are read, as a site's own helper would, and change nothing."""

import json


def reply(request):
    facts = json.loads(request["inventory"])["facts"]
    assert facts["fqdn"] == request["identity"]
    return {
        "configuration": {
            "plugin.choria.server.provision": "false",
            "plugin.choria.broker_urls": "nats://broker1.example.net:4222,nats://broker2.example.net:4222",
            "plugin.security.provider": "choria",
            "collectives": "mcollective,site",
            "registerinterval": "300",
            "registration": "file_content",
            "classesfile": "/opt/site/classes.txt",
            "loglevel": "info",
        }
    }
