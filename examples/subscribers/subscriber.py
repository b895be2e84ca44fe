#!/usr/bin/env python3
"""Follows the provisioner's events, and goes on where it was after any interruption, its own end included:
  subscriber.py [HOST:PORT [POSITION_FILE]]
Its certificates are named by SLIPWAY_TLS_CA, SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY; with SLIPWAY_TLS_MODE=insecure
it has none. How to generate what it imports is in README.md."""
import json
import os
import sys
import time

import grpc
from slipway.provisioner.v1 import events_pb2 as pb, host_pb2
from slipway.provisioner.v1.events_pb2_grpc import ProvisioningEventServiceStub

address, position_file = (sys.argv[1:] + ["127.0.0.1:7420", "position.json"][len(sys.argv) - 1:])[:2]


def handle(event):
    """Does what there is to do about an event. After a crash one may come twice; its id and sequence tell."""
    words = [str(event.sequence), pb.EventType.Name(event.type), event.identity]
    if event.HasField("run_finished"):
        words += [host_pb2.Outcome.Name(event.run_finished.outcome), event.run_finished.reason]
    print(" ".join(word for word in words if word), flush=True)


def missed(gap):
    """Nobody will hear of these events. Who counts on all of them looks elsewhere: ListHosts, GetHost."""
    reason = pb.GapReason.Name(gap.reason)
    print(f"missed {gap.first} to {gap.last or 'its end'} of log {gap.log_id}: {reason}", flush=True)


def keep(log_id, sequence):
    """Keeps a position, also over a power cut: the old one is there until the new one is on disk."""
    with open(position_file + ".new", "w") as file:
        json.dump({"log_id": log_id, "sequence": sequence}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(position_file + ".new", position_file)


def follow(service):
    if os.path.exists(position_file):
        with open(position_file) as file:
            request = pb.WatchEventsRequest(after=pb.LogPosition(**json.load(file)))
    else:
        request = pb.WatchEventsRequest(earliest=pb.Earliest())
    for message in service.WatchEvents(request):
        kind = message.WhichOneof("message")
        if kind == "events":
            for event in message.events.events:
                handle(event)
            keep(message.events.log_id, message.events.events[-1].sequence)
        elif kind == "gap":
            missed(message.gap)
            # The log that was replaced is left behind with the bookmark that comes next.
            if message.gap.reason != pb.GAP_REASON_LOG_REPLACED:
                keep(message.gap.log_id, message.gap.last)
        elif kind == "bookmark":
            keep(message.bookmark.position.log_id, message.bookmark.position.sequence)


def connect():
    # Without keepalive it would wait for ever for a machine that is gone.
    options = [("grpc.keepalive_time_ms", 20_000), ("grpc.keepalive_timeout_ms", 10_000)]
    if os.environ.get("SLIPWAY_TLS_MODE") == "insecure":
        return grpc.insecure_channel(address, options)
    files = [os.environ.get(f"SLIPWAY_TLS_{name}") for name in ("CA", "KEY", "CERT")]
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(*map(read, files)), options)


def read(path):
    if path:
        with open(path, "rb") as file:
            return file.read()


IN_VAIN = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.OUT_OF_RANGE,
           grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED}

stub = ProvisioningEventServiceStub(connect())
while True:
    try:
        follow(stub)
    except grpc.RpcError as error:
        if error.code() in IN_VAIN:
            sys.exit(f"{error.code().name}: {error.details()}")
        print(f"{error.details()}; trying again", file=sys.stderr, flush=True)
    time.sleep(1)
