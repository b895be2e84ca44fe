// The spawner: a process of its own that starts helpers, so that the service does not have to. Starting
// a process blocks the one that does it in proportion to its memory; this one stays small, and imports
// nothing that is not needed.

import { Socket } from 'node:net';
import { systemClock } from '../../../../shared/clock.js';
import { PipePool } from './pipes.js';
import { serve } from './serve.js';

// A terminal or a service manager signals the whole group. The service decides when work ends: the
// spawner ends when the service closes the channel or is gone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const pool = new PipePool((why) => {
  process.stderr.write(`helpers get sockets for pipes, which /dev/stdin cannot open: ${why}\n`);
});
await serve(new Socket({ fd: 3 }), pool, systemClock);
process.exit(0);
