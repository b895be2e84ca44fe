// Asks one helper again and again, as the provisioner does or without it: helper-asks.ts PLAN. It says READY once it has
// been asked a few times, and then, on a line of input, asks and says what came of it, as JSON.

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createHelper } from '../../../services/provisioner/helper/site-helper.js';
import { systemClock } from '../../../shared/clock.js';
import { parseIdentity } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { commandOf, type HelperKind, modeOf, sampleInput } from '../fleet/helper.js';
import { BareCoprocesses } from '../sides/bare/coprocesses.js';
import { BareHelper } from '../sides/bare/helper.js';
import { rank } from '../statistics.js';

export interface AsksPlan {
  readonly side: 'alone' | 'product';
  readonly helper: HelperKind;
  readonly asks: number;
  /** Memory that whoever asks holds besides, as a provisioner of a large fleet does: MiB. */
  readonly ballastMiB: number;
}

export interface Asked {
  readonly seconds: number;
  /** From the turn of an ask, the wait for which does not count, to its answer: milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** What was held besides, to the end: MiB. */
  readonly ballastMiB: number;
}

/** As many as the provisioner runs at once, by default. */
const atOnce = 2 * availableParallelism();
const warmUps = 4 * atOnce;

if (process.argv.length > 2) await start(JSON.parse(process.argv[2] ?? ''));

async function start({ side, helper, asks, ballastMiB }: AsksPlan): Promise<void> {
  process.stdin.on('end', () => process.exit());
  // Memory that was never written to is none.
  const ballast = Buffer.alloc(ballastMiB * 2 ** 20, 1);
  const ask = side === 'product' ? product(helper) : await alone(helper);
  await askTimes(ask, warmUps);
  process.stdout.write('READY\n');
  await once(process.stdin, 'data');
  const began = performance.now();
  const tookMs = await askTimes(ask, asks);
  const seconds = (performance.now() - began) / 1000;
  const held = ballast.length / 2 ** 20;
  const asked: Asked = { seconds, p50: rank(tookMs, 0.5), p99: rank(tookMs, 0.99), ballastMiB: held };
  process.stdout.write(`${JSON.stringify(asked)}\n`);
}

async function askTimes(ask: () => Promise<unknown>, count: number): Promise<number[]> {
  const tookMs: number[] = [];
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const began = performance.now();
      await ask();
      tookMs.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return tookMs;
}

function product(kind: HelperKind): () => Promise<unknown> {
  const helper = createHelper({
    command: commandOf(kind),
    mode: modeOf(kind),
    timeoutMs: 30_000,
    concurrency: atOnce,
    env: process.env,
    clock: systemClock,
    log: silentLogger(),
  });
  const { identity: name, inventory } = JSON.parse(sampleInput);
  const { facts, machines, main_collective, data_plugins, ...same } = JSON.parse(inventory);
  const identity = parseIdentity(name);
  if (identity === undefined) throw new Error(`${name} is no name`);
  const input = {
    identity,
    inventory: {
      ...same,
      mainCollective: main_collective,
      dataPlugins: data_plugins,
      machinesJson: JSON.stringify(machines),
      factsJson: JSON.stringify(facts),
    },
  };
  return () => helper.ask(input, new AbortController().signal);
}

async function alone(kind: HelperKind): Promise<() => Promise<unknown>> {
  if (modeOf(kind) === 'persistent') {
    const coprocesses = new BareCoprocesses(kind, atOnce);
    return () => coprocesses.run(sampleInput);
  }
  const helper = new BareHelper(kind);
  await helper.ready;
  return () => helper.run(sampleInput);
}
