// npm run bench: measures, and prints a table and JSON, or JSON alone. Exits with 2 where the command line cannot be used.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOrExit } from './command-line.js';
import { memoryFolder } from './fleet/memory.js';
import { folders } from './fleet/stack.js';
import { killDescendantsOf } from './measure/processes.js';
import { measurements } from './measures/measurements.js';
import { parseBenchOptions, usage } from './options.js';
import { tableOf } from './report.js';
import { newStamp } from './stamp.js';

const options = optionsOrExit(parseBenchOptions, usage);
const root = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
const memory = mkdtempSync(join(memoryFolder() ?? root, 'slipway-bench-'));
// Where the swarm keeps its nodes; and what a process that is killed leaves in temporary folders goes with it.
process.env.TMPDIR = memory;
process.once('exit', () => {
  for (const folder of options.keep ? [memory] : [memory, root]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});
const say = (text: string) => void process.stderr.write(`${text}\n`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupted);

const stamp = newStamp();
const { measure, json, keep, ...told } = options;
const figures = await measurements[measure](options, folders(root), say);
const result = { measure, ...figures, options: told, stamp };
if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
else process.stdout.write(`${tableOf(result)}\n\n${JSON.stringify(result)}\n`);
process.exit(0);

function interrupted(): void {
  say('interrupted');
  // What was measured fails without the processes that are killed now: nobody has to be told.
  process.on('uncaughtException', () => {});
  // What still writes would be in the way of removing what it has written.
  void killDescendantsOf(process.pid).finally(() => process.exit(1));
}
