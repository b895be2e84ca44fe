// A service with nothing but a helper, for tests that kill it: asks the program named by its first argument, in the mode
// of its second, and says when it was answered.

import { createHelper } from '../../services/provisioner/helper/site-helper.js';
import { systemClock } from '../../shared/clock.js';
import { silentLogger } from '../../shared/logger.js';
import { inputOf } from './helper-support.js';

const [program = '', mode] = process.argv.slice(2);
const helper = createHelper({
  command: [program],
  mode: mode === 'persistent' ? 'persistent' : 'exec',
  timeoutMs: 60_000,
  concurrency: 1,
  env: process.env,
  clock: systemClock,
  log: silentLogger(),
});
await helper.ask(inputOf(), new AbortController().signal);
process.stdout.write('answered\n');
