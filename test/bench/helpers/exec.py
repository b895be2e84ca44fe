"""Reads what it is told of a node, and gives it the configuration of every node."""

import json
import sys

from reply import reply

print(json.dumps(reply(json.load(sys.stdin))))
