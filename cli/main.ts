#!/usr/bin/env node
// The slipway command's process: the only place of it that touches `process`.

import { buffer } from 'node:stream/consumers';
import { exitOnSignals, stopSignals } from '../shared/process/early-signals.js';
import { serviceNames } from './terminal.js';

const words = process.argv.slice(2);

// What runs a service is stopped like one from its first moment.
if (serviceNames.some((name) => name === words[0])) exitOnSignals(process);

// npm runs scripts in the project's folder; paths are meant from where it was called.
const { INIT_CWD: calledFrom, npm_lifecycle_event: script } = process.env;
if (script === 'slipway' && calledFrom !== undefined) process.chdir(calledFrom);

// Whoever read along has had enough.
process.stdout.on('error', () => process.exit());

const { runSlipway } = await import('./slipway.js');
process.exitCode = await runSlipway(words, {
  out: (text) => void process.stdout.write(text),
  room: () => {
    if (!process.stdout.writableNeedDrain) return undefined;
    return new Promise((resolve) => process.stdout.once('drain', resolve));
  },
  err: (text) => void process.stderr.write(text),
  readInput: async () => (await buffer(process.stdin)).toString('utf8'),
  now: () => new Date(),
  env: process.env,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  timeZone: undefined,
  onStop: (callback) => {
    for (const signal of stopSignals) process.once(signal, callback);
  },
  runService: async (name, flags) => (await import('./services/run.js')).runService(name, flags, process),
});
