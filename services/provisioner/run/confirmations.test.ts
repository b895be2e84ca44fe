import { describe, expect, it } from 'vitest';
import { type Identity, newBootId, newRunId, parseIdentity } from '../../../shared/identity.js';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import { RecordingSink } from '../../../test/fakes/recording-sink.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import type { NodeSource } from '../fleet/node-event.js';
import { Confirmations, confirmTimeoutMs, type PastRun } from './confirmations.js';
import { Remembered } from './remembered.js';

const identity = parseIdentity('n1.example.net') as Identity;
const other = parseIdentity('n2.example.net') as Identity;
const digest = 'ab'.repeat(32);
const timeoutMs = 120_000;
const confirmed = {
  type: 'NODE_CONFIRMED',
  identity,
  configurationDigest: digest,
  onItsOwnWord: false,
} as const;

function bench(options: { readonly source?: NodeSource; readonly answer?: Promise<boolean> } = {}) {
  const clock = new FakeClock();
  const sink = new RecordingSink();
  const asked: { fence: bigint; signal: AbortSignal }[] = [];
  const confirmations = new Confirmations({
    clock,
    events: sink,
    timeoutMs: () => timeoutMs,
    askNode: (_pending, fence, signal) => {
      asked.push({ fence, signal });
      return options.answer ?? new Promise(() => {});
    },
  });
  const runId = newRunId();
  const node = {
    identity,
    bootId: newBootId(),
    address: '192.0.2.1:7430',
    certificateSha256: '',
    source: options.source ?? 'REPORTED',
    discovery: 'discovery:7412',
    epoch: 'e1',
  } as const;
  confirmations.expect({ node, runId, configurationDigest: digest });
  return { clock, sink, asked, confirmations, runId };
}

const provisioned = { provisioned: true, fence: 7n };

describe('a node that came up', () => {
  it('is confirmed once, however often it says so', async () => {
    const { confirmations, sink, runId, clock } = bench();
    confirmations.runEnded(runId, provisioned);
    await clock.advance(1_000);
    for (let time = 0; time < 3; time += 1) {
      confirmations.cameUp({ identity, runId, configurationDigest: digest });
    }
    expect(sink.events).toEqual([{ ...confirmed, runId, afterMs: 1_000 }]);
    expect(confirmations.pending).toBe(0);
  });

  it('is confirmed also before its run has ended', async () => {
    const { confirmations, sink, runId, clock } = bench();
    confirmations.cameUp({ identity, runId, configurationDigest: digest.toUpperCase() });
    confirmations.runEnded(runId, provisioned);
    await clock.advance(timeoutMs);
    expect(sink.events).toEqual([{ ...confirmed, runId, afterMs: 0 }]);
  });

  it('is not confirmed with another configuration, or as another node', async () => {
    const { confirmations, sink, runId, clock } = bench();
    confirmations.runEnded(runId, provisioned);
    confirmations.cameUp({ identity, runId, configurationDigest: 'cd'.repeat(32) });
    confirmations.cameUp({ identity, runId, configurationDigest: '' });
    confirmations.cameUp({ identity: other, runId, configurationDigest: digest });
    expect(sink.events).toEqual([]);
    await clock.advance(timeoutMs);
    expect(sink.types).toEqual(['CONFIRMATION_MISSED']);
  });

  it('of a run that nobody here knows is confirmed on its own word, once', () => {
    const { confirmations, sink } = bench();
    const runId = newRunId();
    confirmations.cameUp({ identity, runId, configurationDigest: digest });
    confirmations.cameUp({ identity, runId, configurationDigest: digest });
    expect(sink.events).toEqual([{ ...confirmed, runId, onItsOwnWord: true, afterMs: undefined }]);
  });

  it('of a run that nobody here knows is not confirmed where it is not believed', () => {
    const { confirmations, sink } = bench();
    confirmations.cameUp({ identity, runId: newRunId(), configurationDigest: digest }, false);
    expect(sink.events).toEqual([]);
  });

  it('is confirmed though its run failed', async () => {
    const { confirmations, sink, runId, clock } = bench();
    confirmations.runEnded(runId, { provisioned: false, fence: 7n });
    await clock.advance(1_000);
    confirmations.cameUp({ identity, runId, configurationDigest: digest });
    expect(sink.types).toEqual(['NODE_CONFIRMED']);
  });
});

describe('a node that does not come up', () => {
  it('is missed when its time, which starts at the end of its run, is over', async () => {
    const { confirmations, sink, runId, clock } = bench();
    await clock.advance(500_000);
    confirmations.runEnded(runId, provisioned);
    await clock.advance(timeoutMs - 1);
    expect(sink.events).toEqual([]);
    await clock.advance(1);
    expect(sink.events).toEqual([{ type: 'CONFIRMATION_MISSED', identity, runId, timeoutMs }]);
  });

  it('is no news where its run has failed', async () => {
    const { confirmations, sink, runId, clock } = bench();
    confirmations.runEnded(runId, { provisioned: false, fence: 7n });
    expect(confirmations.pending).toBe(0);
    await clock.advance(timeoutMs);
    expect(sink.events).toEqual([]);
    expect(confirmations.pending).toBe(0);
  });

  it('is confirmed as what it is when it is only late', async () => {
    const { confirmations, sink, runId, clock } = bench();
    confirmations.runEnded(runId, provisioned);
    await clock.advance(timeoutMs + 60_000);
    confirmations.cameUp({ identity, runId, configurationDigest: 'cd'.repeat(32) });
    confirmations.cameUp({ identity, runId, configurationDigest: digest });
    expect(sink.events.at(-1)).toEqual({ ...confirmed, runId, afterMs: timeoutMs + 60_000 });
    expect(sink.events).toHaveLength(2);
  });
});

describe('a node that does not report', () => {
  it('is asked from the end of its run, and confirmed', async () => {
    const { confirmations, sink, runId, asked, clock } = bench({
      source: 'PROBED',
      answer: Promise.resolve(true),
    });
    expect(asked).toEqual([]);
    confirmations.runEnded(runId, provisioned);
    await settle();
    expect(asked.map(({ fence }) => fence)).toEqual([7n]);
    await clock.advance(timeoutMs);
    expect(sink.types).toEqual(['NODE_CONFIRMED']);
  });

  it('is asked no more when its time is over', async () => {
    const { confirmations, sink, runId, asked, clock } = bench({ source: 'PROBED' });
    confirmations.runEnded(runId, provisioned);
    await clock.advance(timeoutMs);
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(sink.types).toEqual(['CONFIRMATION_MISSED']);
  });

  it('is not asked after a run that failed before it configured it', () => {
    const { confirmations, runId, asked } = bench({ source: 'PROBED' });
    confirmations.runEnded(runId, { provisioned: false, fence: 7n });
    expect(asked).toEqual([]);
  });

  it('is asked after a run that configured it, or may have, and failed: it may restart by itself', async () => {
    for (const cutOff of ['CONFIGURED', 'PERHAPS_CONFIGURED'] as const) {
      const { confirmations, runId, sink } = bench({ source: 'PROBED', answer: Promise.resolve(true) });
      confirmations.runEnded(runId, { provisioned: false, cutOff, fence: 7n });
      await settle();
      expect(sink.types).toEqual(['NODE_CONFIRMED']);
    }
  });
});

describe('a node that reports', () => {
  it('is not asked', () => {
    const { confirmations, runId, asked } = bench();
    confirmations.runEnded(runId, provisioned);
    expect(asked).toEqual([]);
  });
});

describe('confirmations', () => {
  it('stop waiting when they are closed', () => {
    const { confirmations, runId, clock, asked } = bench({ source: 'PROBED' });
    confirmations.runEnded(runId, provisioned);
    confirmations.close();
    expect(clock.pendingTimers).toBe(0);
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it('are expected of a run from before its first Configure', async () => {
    const run = new RunBench();
    let pending = 0;
    await run.runAnd('configure', () => {
      pending = run.confirmations.pending;
    });
    expect(pending).toBe(1);
  });

  it('are not expected of a run that never comes to Configure', async () => {
    const run = new RunBench();
    run.helper.replies({ configuration: new Map() });
    await run.run();
    expect(run.confirmations.pending).toBe(0);
  });

  it('match the digest that the node itself gives', async () => {
    const run = new RunBench();
    const { runId } = await run.run();
    const configurationDigest = run.node.records.get(runId)?.configurationDigest ?? '';
    run.confirmations.cameUp({ identity: run.node.identity, runId, configurationDigest });
    expect(run.sink.of('NODE_CONFIRMED')).toHaveLength(1);
  });

  it('have twice the interval, and at least a minute', () => {
    expect(confirmTimeoutMs(1_000)).toBe(60_000);
    expect(confirmTimeoutMs(45_000)).toBe(90_000);
  });
});

describe('what is remembered', () => {
  it('is forgotten after an hour', async () => {
    const clock = new FakeClock();
    const remembered = new Remembered<string, true>(clock);
    remembered.set('a', true);
    await clock.advance(3_599_999);
    expect(remembered.get('a')).toBe(true);
    await clock.advance(1);
    expect(remembered.get('a')).toBeUndefined();
    remembered.set('b', true);
    expect(remembered.size).toBe(1);
  });

  it('makes room for what is newer', () => {
    const remembered = new Remembered<number, true>(new FakeClock(), 3);
    for (const key of [1, 2, 3, 1, 4]) remembered.set(key, true);
    expect([1, 2, 3, 4].map((key) => remembered.get(key))).toEqual([true, undefined, true, true]);
  });
});

describe('a node of a run of an earlier life', () => {
  function cameUp(past: PastRun | undefined) {
    const clock = new FakeClock();
    const sink = new RecordingSink();
    const confirmations = new Confirmations({
      clock,
      events: sink,
      timeoutMs: () => timeoutMs,
      askNode: () => new Promise(() => {}),
      pastRuns: { find: () => past },
    });
    const runId = newRunId();
    const says = { identity, runId, configurationDigest: digest };
    confirmations.cameUp(says, false);
    for (let time = 0; time < 3; time += 1) confirmations.cameUp(says);
    return { sink, runId, now: clock.now() };
  }

  it('is confirmed once, and not on its own word, where the end of the run is remembered', () => {
    const endedAt = new FakeClock().now() - 5_000;
    const { sink, runId } = cameUp({ confirmed: false, endedAt, configurationDigest: digest });
    expect(sink.events).toEqual([{ ...confirmed, runId, afterMs: 5_000 }]);
  });

  it.each(['cd'.repeat(32), ''])('is not confirmed where that run sent another configuration: %j', (sent) => {
    const { sink } = cameUp({ confirmed: false, endedAt: 0, configurationDigest: sent });
    expect(sink.events).toEqual([]);
  });

  it('is not confirmed again', () => {
    expect(cameUp({ confirmed: true }).sink.events).toEqual([]);
  });

  it('is believed where the run is not remembered', () => {
    const { sink, runId } = cameUp(undefined);
    expect(sink.events).toEqual([{ ...confirmed, runId, onItsOwnWord: true, afterMs: undefined }]);
  });
});
