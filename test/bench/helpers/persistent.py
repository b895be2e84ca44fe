"""The same as exec.py, for one node after another: a line of input, a line of output."""

import json
import sys

from reply import reply

for line in sys.stdin:
    print(json.dumps(reply(json.loads(line))), flush=True)
