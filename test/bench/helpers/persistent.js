// The same as exec.js, for one node after another: a line of input, a line of output.

import { createInterface } from 'node:readline';
import { reply } from './reply.js';

createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(`${JSON.stringify(reply(JSON.parse(line)))}\n`);
});
