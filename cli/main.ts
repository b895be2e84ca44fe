#!/usr/bin/env node
// The slipway command's process: the only place of it that touches `process`.

import { buffer } from 'node:stream/consumers';
import { runSlipway } from './slipway.js';

// npm runs scripts in the project's folder; paths are meant from where it was called.
const { INIT_CWD: calledFrom, npm_lifecycle_event: script } = process.env;
if (script === 'slipway' && calledFrom !== undefined) process.chdir(calledFrom);

// Whoever read along has had enough.
process.stdout.on('error', () => process.exit());

process.exitCode = await runSlipway(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readInput: async () => (await buffer(process.stdin)).toString('utf8'),
  now: () => new Date(),
});
