import { describe, expect, it } from 'vitest';
import type { Identity, RunId } from '../../../shared/identity.js';
import { newRunId } from '../../../shared/identity.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { heapBytesOf } from '../../../test/fakes/heap.js';
import { boot, identity } from '../../../test/fakes/node-events.js';
import { event } from '../../../test/fakes/provisioning-events.js';
import { History, type HistoryLimits } from './history.js';
import type { LeftHost } from './past.js';

const hour = 3_600_000;
const name = identity('a.example.net');

function bench(limits?: HistoryLimits) {
  const clock = new FakeClock();
  const known = new Set<Identity>();
  const history = new History({
    clock,
    isKnown: (host) => known.has(host),
    ...(limits && { limits }),
  });
  const start = (host = name, runId: RunId = newRunId()) => {
    history.publish(event('RUN_STARTED', { identity: host, runId }));
    return runId;
  };
  const run = (host = name, message = '') => {
    const runId = start(host);
    history.publish(event('RUN_FINISHED', { identity: host, runId, message }));
    return runId;
  };
  return { clock, known, history, start, run };
}

function left(clock: FakeClock): LeftHost {
  return {
    cause: 'GONE',
    at: clock.now(),
    address: '192.0.2.1:7430',
    bootId: boot(1),
    version: '1.0.0',
    certificateSha256: '',
    discovery: 'd:1',
    admittedAt: clock.now(),
    lastSightedAt: clock.now(),
  };
}

describe('the past of a node', () => {
  it('has its runs, newest first, as they were told', async () => {
    const { clock, history, start, run } = bench();
    const startedAt = clock.now();
    const first = run(name, 'so and so');
    await clock.advance(1_000);
    const second = start();
    expect(history.of(name)?.runs).toMatchObject([
      { runId: second, outcome: undefined, durationMs: undefined, startedAt: startedAt + 1_000 },
      {
        runId: first,
        outcome: 'PROVISIONED',
        durationMs: 13,
        startedAt,
        message: 'so and so',
        lastStep: 'RESTART',
      },
    ]);
    expect(history.lastEnded(name)?.runId).toBe(first);
  });

  it('has the last eight of them', () => {
    const { history, run } = bench();
    const ids = Array.from({ length: 11 }, () => run());
    expect(history.of(name)?.runs.map(({ runId }) => runId)).toEqual(ids.slice(3).reverse());
  });

  it('says of a run whether its node came up, also later', async () => {
    const { clock, history, run } = bench();
    const [missed, confirmed] = [run(), run()];
    await clock.advance(5_000);
    history.publish(event('CONFIRMATION_MISSED', { runId: missed }));
    history.publish(event('NODE_CONFIRMED', { runId: confirmed }));
    history.publish(event('NODE_CONFIRMED', { runId: newRunId(), onItsOwnWord: true }));
    const at = clock.now();
    expect(history.of(name)?.runs).toMatchObject([
      { confirmation: 'CONFIRMED', confirmationAt: at },
      { confirmation: 'MISSED', confirmationAt: at },
    ]);
  });

  it('survives its record, until there is another', () => {
    const { clock, history, run } = bench();
    run();
    history.left(name, left(clock));
    expect(history.of(name)).toMatchObject({ left: { cause: 'GONE', version: '1.0.0' }, runs: [{}] });
    history.publish(event('HOST_QUEUED'));
    expect(history.of(name)).toMatchObject({ left: undefined, runs: [{}] });
  });

  it('tells a loop until its next run begins', () => {
    const { history, run, start } = bench();
    run();
    history.publish(event('PROVISION_LOOP'));
    expect(history.of(name)?.loop).toEqual({ times: 3, withinMs: hour });
    start();
    expect(history.of(name)?.loop).toBeUndefined();
  });

  it('tells of two machines that have its name', () => {
    const { history } = bench();
    history.publish(event('NODE_CONFLICT'));
    expect(history.of(name)?.conflict).toMatchObject({
      address: '192.0.2.1:7430',
      newcomerAddress: '192.0.2.7:1',
    });
  });

  it('is nothing where nothing was heard, or only that a host was queued', () => {
    const { history } = bench();
    history.publish(event('HOST_QUEUED'));
    history.publish(event('NODE_CONFIRMED', { onItsOwnWord: true }));
    expect(history.of(name)).toBeUndefined();
    expect(history.size).toBe(0);
  });

  it('keeps what the last run said at length, and the ones before in short', () => {
    const { history, run } = bench();
    for (let times = 0; times < 2; times++) run(name, 'x'.repeat(5_000));
    expect(history.of(name)?.runs.map(({ message }) => message.length)).toEqual([1_000, 200]);
  });
});

describe('what is remembered', () => {
  it('is forgotten after two hours, but of hosts that are known', async () => {
    const { clock, known, history, run } = bench();
    const other = identity('b.example.net');
    known.add(other);
    run();
    run(other);
    await clock.advance(2 * hour - 1);
    expect(history.of(name)).toBeDefined();
    await clock.advance(1);
    expect(history.of(name)).toBeUndefined();
    expect(history.of(other)).toBeDefined();
    known.clear();
    await clock.advance(2 * hour);
    expect(history.of(other)).toBeUndefined();
    expect(history.size).toBe(0);
  });

  it('is bounded in number, known or not: the least lately heard of goes first', () => {
    const { known, history, run } = bench({ runs: 8, identities: 2, lifeMs: hour });
    const [a, b, c] = ['a', 'b', 'c'].map((short) => identity(short));
    if (a === undefined || b === undefined || c === undefined) throw new Error('no names');
    known.add(b);
    for (const host of [a, b, a, c]) run(host);
    expect([a, b, c].map((host) => history.of(host)?.runs.length)).toEqual([2, undefined, 1]);
    expect(history.size).toBe(2);
  });
});

describe('the memory of the past', () => {
  it('is 800 bytes at most for each node that was provisioned once and released', () => {
    const count = 10_000;
    const nodes = Array.from({ length: count }, (_, index) => identity(`node-${index}`));
    const host = { ...left(new FakeClock()), certificateSha256: 'ab'.repeat(32) };
    const bytes = heapBytesOf(() => {
      const { clock, history, run } = bench();
      for (const node of nodes) {
        const runId = run(node);
        history.publish(event('NODE_CONFIRMED', { identity: node, runId }));
        history.left(node, { ...host, admittedAt: clock.now(), lastSightedAt: clock.now() });
      }
      return history;
    });
    expect(bytes / count).toBeLessThan(800);
  });

  it('holds on to no more of a failed run than is kept of its message', () => {
    const count = 2_000;
    const nodes = Array.from({ length: count }, (_, index) => identity(`node-${index}`));
    const bytes = heapBytesOf(() => {
      const { history, run } = bench();
      for (const node of nodes) {
        for (const part of ['a', 'b', 'c']) run(node, part.repeat(5_000));
      }
      return history;
    });
    // A message of 1,000 characters, and two of 200.
    expect(bytes / count).toBeLessThan(2_500);
  });
});
