// npm run soak: hours of the pair on nodes that come and go. Exits with 0 where what it holds is flat, with 1 where it is
// not or that is not known, and with 2 where the command line cannot be used.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { optionsOrExit } from '../bench/command-line.js';
import { memoryFolder } from '../bench/fleet/memory.js';
import { killDescendantsOf } from '../bench/measure/processes.js';
import { newStamp } from '../bench/stamp.js';
import { checkFile, parseSoakOptions, usage } from './options.js';
import { planOf } from './plan.js';
import type { Sample } from './samples/sample.js';
import { soak } from './soak.js';
import { rulesOf } from './verdict/rules.js';
import { isFlat, tableOf, verdictsOf } from './verdict/verdicts.js';

const options = optionsOrExit((args) => {
  const parsed = parseSoakOptions(args);
  if (parsed?.file !== undefined) checkFile(parsed.file);
  return parsed;
}, usage);
const plan = planOf(options);
const root = mkdtempSync(join(tmpdir(), 'slipway-soak-'));
const memory = mkdtempSync(join(memoryFolder() ?? root, 'slipway-soak-'));
// What a process that is killed leaves in temporary folders goes with it.
process.env.TMPDIR = memory;
const directory = join(root, 'site');
const file = options.file === undefined ? join(root, 'samples.jsonl') : resolve(options.file);
mkdirSync(directory);
process.exit(await main());

async function main(): Promise<number> {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  say(`${JSON.stringify({ plan, stamp: newStamp() })}\nsamples are written to ${file}`);
  const samples: Sample[] = [];
  const stop = stopOnSignals();
  let problem: unknown;
  try {
    await soak(plan, { directory, memory, file }, (sample) => samples.push(sample), stop);
  } catch (error) {
    problem = error;
  }
  await killDescendantsOf(process.pid);
  const cameMs = problem === undefined ? plan.durationMs : (samples.at(-1)?.atMs ?? 0);
  const judged = verdictsOf(samples, cameMs, rulesOf({ ...plan, durationMs: cameMs }));
  process.stdout.write(tableOf(judged));
  if (problem !== undefined) {
    const why = stop.aborted ? 'interrupted' : problem instanceof Error ? problem.message : String(problem);
    say(`ended after ${Math.round(cameMs / 1000)} s of ${plan.durationMs / 1000}: ${why}`);
  }
  const failed = problem !== undefined && !stop.aborted;
  rmSync(memory, { recursive: true, force: true, maxRetries: 10 });
  if (options.keep || failed) say(`kept: ${directory}`);
  else rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  if (options.file !== undefined && !options.keep && !failed) rmSync(root, { recursive: true, force: true });
  return problem === undefined && isFlat(judged) ? 0 : 1;
}

/** The first signal ends the run, and what was seen is told; the next one ends all at once. */
function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) void killDescendantsOf(process.pid).finally(() => process.exit(1));
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return stop.signal;
}
