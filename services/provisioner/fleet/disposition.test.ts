import { describe, expect, it } from 'vitest';
import type { Outcome } from '../run/outcome.js';
import {
  afterRun,
  type DispositionPolicy,
  loopBackoffMs,
  type Next,
  type Past,
  rowEffect,
} from './disposition.js';

const policy: DispositionPolicy = { holdMs: 45_000, backoffMaxMs: 600_000, intervalMs: 60_000 };
const middle = () => 0.5;
const noPast: Past = { failuresInRow: 0, comebacks: 0, outdated: false };

function nextAfter(outcome: Outcome, past: Partial<Past> = {}): Next {
  return afterRun(outcome, { ...noPast, ...past }, policy, middle);
}

function failed(failuresInRow: number, comebacks = 0): Next {
  return nextAfter({ kind: 'FAILED', reason: 'UNREACHABLE', message: '' }, { failuresInRow, comebacks });
}

describe('after a run', () => {
  const rows: [string, Outcome, Next][] = [
    ['PROVISIONED is held', { kind: 'PROVISIONED', unsettled: false }, { state: 'HELD', ms: 45_000 }],
    [
      'PROVISIONED, unsettled, likewise',
      { kind: 'PROVISIONED', unsettled: true },
      { state: 'HELD', ms: 45_000 },
    ],
    ['SHUT_DOWN is held', { kind: 'SHUT_DOWN', message: '' }, { state: 'HELD', ms: 45_000 }],
    [
      'DEFERRED is released',
      { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: undefined },
      { state: 'RELEASED' },
    ],
    [
      'DEFERRED at once is released, so that it is no loop',
      { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 0 },
      { state: 'RELEASED' },
    ],
    [
      'DEFERRED backs off for as long as was asked',
      { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 90_000 },
      { state: 'BACKING_OFF', ms: 90_000 },
    ],
    [
      'DEFERRED backs off for a day at most',
      { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 1e12 },
      { state: 'BACKING_OFF', ms: 86_400_000 },
    ],
    [
      'DEFERRED by the node is released',
      { kind: 'DEFERRED', by: 'NODE', message: '', retryAfterMs: undefined },
      { state: 'RELEASED' },
    ],
    [
      'DEFERRED by the node backs off for as long as it asked',
      { kind: 'DEFERRED', by: 'NODE', message: '', retryAfterMs: 90_000 },
      { state: 'BACKING_OFF', ms: 90_000 },
    ],
    ['UPGRADED is released', { kind: 'UPGRADED', from: '1', to: '2' }, { state: 'RELEASED' }],
    ['SKIPPED_STALE is released', { kind: 'SKIPPED_STALE', message: '' }, { state: 'RELEASED' }],
    [
      'SUPERSEDED by a boot is queued at the tail',
      { kind: 'SUPERSEDED', by: 'BOOT', message: '' },
      { state: 'QUEUED', at: 'TAIL' },
    ],
    [
      'SUPERSEDED by a fence is held for a minute, whatever the hold',
      { kind: 'SUPERSEDED', by: 'FENCE', message: '' },
      { state: 'HELD', ms: 60_000 },
    ],
    ['CANCELLED by a pause is next', { kind: 'CANCELLED', cause: 'PAUSED' }, { state: 'QUEUED', at: 'HEAD' }],
    [
      'CANCELLED because the helper fails is next',
      { kind: 'CANCELLED', cause: 'BREAKER' },
      { state: 'QUEUED', at: 'HEAD' },
    ],
    [
      'CANCELLED as the probe that has shown so is the last',
      { kind: 'CANCELLED', cause: 'BREAKER', probe: true },
      { state: 'QUEUED', at: 'TAIL' },
    ],
    ['CANCELLED by a release is released', { kind: 'CANCELLED', cause: 'RELEASED' }, { state: 'RELEASED' }],
    ['CANCELLED by a stop is released', { kind: 'CANCELLED', cause: 'STOPPING' }, { state: 'RELEASED' }],
  ];
  for (const [name, outcome, next] of rows) it(name, () => expect(nextAfter(outcome)).toEqual(next));

  it('SUPERSEDED by a boot that nobody has sighted yet is released, for nobody could reach it', () => {
    const superseded: Outcome = { kind: 'SUPERSEDED', by: 'BOOT', message: '' };
    expect(nextAfter(superseded, { outdated: true })).toEqual({ state: 'RELEASED' });
    expect(nextAfter(superseded, { outdated: true, failuresInRow: 3 }).state).toBe('BACKING_OFF');
  });
});

describe('after an upgrade that failed', () => {
  it('the node is held for a minute, whatever the hold, and from the second in a row as after failures', () => {
    const failure: Outcome = { kind: 'UPGRADE_FAILED', reason: 'UPGRADE_RPC_FAILED', message: '' };
    expect([1, 2, 3, 4].map((failuresInRow) => nextAfter(failure, { failuresInRow }))).toEqual([
      { state: 'HELD', ms: 60_000 },
      { state: 'RELEASED' },
      { state: 'BACKING_OFF', ms: 120_000 },
      { state: 'BACKING_OFF', ms: 240_000 },
    ]);
  });
});

describe('after failures in a row', () => {
  it('the first two are released', () => {
    expect([failed(1), failed(2)]).toEqual([{ state: 'RELEASED' }, { state: 'RELEASED' }]);
  });

  it('the next back off, twice as long each time', () => {
    expect([3, 4].map((row) => failed(row))).toEqual([
      { state: 'BACKING_OFF', ms: 120_000 },
      { state: 'BACKING_OFF', ms: 240_000 },
    ]);
  });

  it('with jitter, and never longer than backoff_max', () => {
    const outcome: Outcome = { kind: 'FAILED', reason: 'UNREACHABLE', message: '' };
    const waits = [0, 0.3, 0.999].flatMap((drawn) =>
      [3, 6, 50].map((failuresInRow) => {
        const next = afterRun(outcome, { ...noPast, failuresInRow }, policy, () => drawn);
        return next.state === 'BACKING_OFF' ? next.ms : 0;
      }),
    );
    expect(Math.min(...waits)).toBe(60_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(600_000);
    expect(new Set(waits).size).toBeGreaterThan(3);
  });

  it('a new boot supersedes twice in a row, and then backs off likewise', () => {
    const superseded: Outcome = { kind: 'SUPERSEDED', by: 'BOOT', message: '' };
    expect(nextAfter(superseded, { failuresInRow: 2 })).toEqual({ state: 'QUEUED', at: 'TAIL' });
    expect(nextAfter(superseded, { failuresInRow: 3 })).toEqual({ state: 'BACKING_OFF', ms: 120_000 });
  });

  it('a node that wants to be left alone is twice in a row, and then backs off likewise', () => {
    const deferred: Outcome = { kind: 'DEFERRED', by: 'NODE', message: '', retryAfterMs: undefined };
    expect(nextAfter(deferred, { failuresInRow: 2 })).toEqual({ state: 'RELEASED' });
    expect(nextAfter(deferred, { failuresInRow: 3 })).toEqual({ state: 'BACKING_OFF', ms: 120_000 });
  });

  it('a node that names a time is left alone for the longer of the two', () => {
    const deferred: Outcome = { kind: 'DEFERRED', by: 'NODE', message: '', retryAfterMs: 150_000 };
    expect(nextAfter(deferred, { failuresInRow: 3 })).toEqual({ state: 'BACKING_OFF', ms: 150_000 });
    expect(nextAfter(deferred, { failuresInRow: 4 })).toEqual({ state: 'BACKING_OFF', ms: 240_000 });
  });

  it('a helper that defers is asked again each time, or when it said', () => {
    const deferred: Outcome = { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: undefined };
    expect(nextAfter(deferred, { failuresInRow: 9 })).toEqual({ state: 'RELEASED' });
  });

  it('a loop backs off likewise, from the third comeback on', () => {
    expect(failed(1, 2)).toEqual({ state: 'RELEASED' });
    expect(failed(1, 3)).toEqual({ state: 'BACKING_OFF', ms: 120_000 });
    expect(failed(1, 4)).toEqual({ state: 'BACKING_OFF', ms: 240_000 });
    expect(loopBackoffMs(3, policy, middle)).toBe(120_000);
  });
});

describe('a row of failures', () => {
  const rows: [string, Outcome, 'ADDS' | 'ENDS' | 'KEEPS'][] = [
    ['FAILED', { kind: 'FAILED', reason: 'UNREACHABLE', message: '' }, 'ADDS'],
    ['PROVISIONED', { kind: 'PROVISIONED', unsettled: true }, 'ENDS'],
    ['SHUT_DOWN', { kind: 'SHUT_DOWN', message: '' }, 'ENDS'],
    ['UPGRADED', { kind: 'UPGRADED', from: '1', to: '2' }, 'ENDS'],
    ['UPGRADE_FAILED', { kind: 'UPGRADE_FAILED', reason: 'UPGRADE_LOOP', message: '' }, 'ADDS'],
    [
      'DEFERRED by the helper',
      { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: undefined },
      'ENDS',
    ],
    ['DEFERRED by the node', { kind: 'DEFERRED', by: 'NODE', message: '', retryAfterMs: 9_000 }, 'ADDS'],
    ['SKIPPED_STALE', { kind: 'SKIPPED_STALE', message: '' }, 'KEEPS'],
    ['CANCELLED', { kind: 'CANCELLED', cause: 'PAUSED' }, 'KEEPS'],
    ['SUPERSEDED by a fence', { kind: 'SUPERSEDED', by: 'FENCE', message: '' }, 'KEEPS'],
    ['SUPERSEDED by a boot', { kind: 'SUPERSEDED', by: 'BOOT', message: '' }, 'ADDS'],
  ];
  for (const [name, outcome, effect] of rows) {
    it(`${effect} with ${name}`, () => expect(rowEffect(outcome)).toBe(effect));
  }
});
