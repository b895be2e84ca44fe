import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../fakes/fake-clock.js';
import type { Sample } from './sample.js';
import { sampling } from './sampling.js';

function scratchFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-sampling-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'samples.jsonl');
}

const noted = async () => ({ counts: [7, 5, 7], p50: 3, p99: 40, max: 50 });

test('it looks until the time is over, and each sample is told and written', async () => {
  const clock = new FakeClock();
  const file = scratchFile();
  let confirmed = 0;
  const look = async () => {
    confirmed += 25;
    return { 'provisioner.confirmed': confirmed, 'discovery.anonMiB': 1 / 3 };
  };
  const samples: Sample[] = [];
  const options = { durationMs: 30_000, everyMs: 10_000, look, noted, file, clock };
  const all = sampling(options, (sample) => samples.push(sample), new AbortController().signal);
  await clock.advance(30_000);
  await all;
  expect(samples.map(({ atMs }) => atMs)).toEqual([10_000, 20_000, 30_000]);
  expect(samples[0]?.figures).not.toHaveProperty('confirmedPerSecond');
  expect(samples[1]?.figures).toMatchObject({
    confirmedPerSecond: 2.5,
    'subscribers.behind': 2,
    'subscribers.lagP99Ms': 40,
  });
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({
    time: '2030-01-01T00:00:30.000Z',
    seconds: 30,
    'discovery.anonMiB': 0.333,
    confirmedPerSecond: 2.5,
  });
});

test('it ends when it is told to', async () => {
  const clock = new FakeClock();
  const over = new AbortController();
  const options = { durationMs: 30_000, everyMs: 10_000, look: async () => ({}), noted, file: scratchFile() };
  const all = sampling({ ...options, clock }, () => {}, over.signal);
  const ended = expect(all).rejects.toThrow('enough');
  await clock.advance(15_000);
  over.abort(new Error('enough'));
  await ended;
});
