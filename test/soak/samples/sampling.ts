// Looks again and again, and writes down what was seen: in a file, so that one can see how it went while it goes on.

import { appendFileSync } from 'node:fs';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { Noted } from '../../fleets/subscribers/crowd.js';
import { type Figures, lineOf, type Sample } from './sample.js';

export interface SamplingOptions {
  readonly durationMs: number;
  readonly everyMs: number;
  readonly look: () => Promise<Figures>;
  readonly noted: () => Promise<Noted>;
  readonly file: string;
  readonly clock: Clock;
}

/**
 * Resolves after the last look.
 *
 * @param taken to be told of each sample
 * @throws what a look throws; the signal's reason
 */
export async function sampling(
  { durationMs, everyMs, look, noted, file, clock }: SamplingOptions,
  taken: (sample: Sample) => void,
  signal: AbortSignal,
): Promise<void> {
  const began = clock.monotonic();
  let before: Sample | undefined;
  for (let next = everyMs; next <= durationMs; next += everyMs) {
    await sleep(clock, Math.max(0, began + next - clock.monotonic()), signal);
    const figures = { ...(await look()), ...lagOf(await noted()) };
    const atMs = clock.monotonic() - began;
    const sample = { atMs, figures: { ...figures, ...rateOf(before, atMs, figures) } };
    appendFileSync(file, lineOf(sample, new Date(clock.now())));
    taken(sample);
    before = sample;
  }
}

function lagOf({ counts, p50, p99, max }: Noted): Figures {
  return {
    'subscribers.lagP50Ms': p50,
    'subscribers.lagP99Ms': p99,
    'subscribers.lagMaxMs': max,
    // What a reader has not been told of that another has: one that is told of nothing any more shows in it.
    'subscribers.behind': Math.max(...counts) - Math.min(...counts),
  };
}

/** Nodes that were confirmed since the sample before: a second. */
function rateOf(
  before: Sample | undefined,
  atMs: number,
  { 'provisioner.confirmed': now }: Figures,
): Figures {
  const then = before?.figures['provisioner.confirmed'];
  if (before === undefined || then === undefined || now === undefined) return {};
  return { confirmedPerSecond: ((now - then) * 1000) / (atMs - before.atMs) };
}
