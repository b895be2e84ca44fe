// Each test is a line of the table that waits.ts is: where the host stands, and what is said of it.

import { describe, expect, it } from 'vitest';
import { breaker, causes, now, pause, said, waits } from '../../../../test/fakes/waits-bench.js';
import { adviceOn } from './advice.js';
import type { Standing } from './wait.js';

describe('a queued host', () => {
  const second: Standing = { state: 'QUEUED', place: 13 };

  it('waits for its turn, and is told how far it is and what is busy', () => {
    const busy = { workers: { busy: 64, total: 64 }, runsPerSecond: 0.5 };
    const [wait, ...others] = waits({ standing: second, under: busy });
    expect(others).toEqual([]);
    expect(wait).toMatchObject({ cause: 'TURN', until: undefined });
    expect(wait?.message).toBe(
      '12 hosts are before it in the queue; all 64 workers are busy. At the pace of the last minute its turn comes at ' +
        'about 2030-01-01T00:00:24Z. What to do: Raise workers where that takes too long',
    );
  });

  it('is told where it is the next', () => {
    expect(said(waits({ standing: { state: 'QUEUED', place: 1 } }))).toBe(
      'It is the next in the queue; 3 of 64 workers are busy',
    );
    const one = { workers: { busy: 1, total: 1 } };
    expect(said(waits({ standing: { state: 'QUEUED', place: 1 }, under: one }))).toMatch(
      /; the only worker is busy$/,
    );
  });

  it('waits for the end of a pause first', () => {
    const all = waits({ standing: second, under: { pause, runsPerSecond: 0.5 } });
    expect(causes(all)).toEqual(['PAUSED', 'TURN']);
    expect(said(all)).not.toContain('At the pace');
    expect(said(all)).toContain('paused since 2029-12-31T23:59:00Z by ops: new switch');
  });

  it('waits for the helper to work again, is told what is wrong with it, and when it is tried', () => {
    const [wait, ...others] = waits({ standing: second, under: { breaker } });
    expect(causes(others)).toEqual(['TURN']);
    expect(wait).toMatchObject({ cause: 'BREAKER', until: now + 4_000 });
    expect(wait?.message).toBe(
      'The helper has failed for every node since 2029-12-31T23:59:30Z: 22 failures in a row, the last HELPER_EXIT: exit ' +
        'code 3. No run starts but one at a time to try it, each with another node, until it works again. What to do: ' +
        'Mend the helper: the message has what it wrote to standard error',
    );
  });

  it('is not told when the helper is tried where that is going on', () => {
    const probing = { ...breaker, open: { since: now - 30_000, nextProbeAt: now - 100 } };
    const [wait] = waits({ standing: second, under: { breaker: probing } });
    expect(wait).toMatchObject({ cause: 'BREAKER', until: undefined });
  });

  it('waits for the end of a pause before it waits for the helper', () => {
    expect(causes(waits({ standing: second, under: { breaker, pause } }))).toEqual([
      'PAUSED',
      'BREAKER',
      'TURN',
    ]);
  });

  it('that was not sighted for long will be passed over', () => {
    const all = waits({ standing: second, subject: { isStale: true, lastSightedAt: now - 300_000 } });
    expect(causes(all)).toEqual(['TURN', 'SIGHTING']);
    expect(said(all)).toMatch(/last sighted 5m ago.*SKIPPED_STALE/);
  });
});

describe('a host that a run works on', () => {
  const call = {
    kind: 'REPLY',
    rpc: 'Configure',
    attempt: 2,
    tries: 5,
    since: now - 3_000,
    until: now + 7_000,
  } as const;
  const trouble = { code: 'UNAVAILABLE', reason: '', message: 'UNAVAILABLE: connection dropped' };
  const running = (progress: Extract<Standing, { state: 'RUNNING' }>['progress'], under = {}) =>
    waits({ standing: { state: 'RUNNING', progress }, under });

  it('waits for the node: which call, which attempt, since when, what went wrong before', () => {
    const [wait] = running({ step: 'CONFIGURE', wait: call, trouble });
    expect(wait).toMatchObject({ cause: 'NODE', until: now + 7_000 });
    expect(wait?.message).toMatch(
      /^The node has to answer Configure, called 3s ago, attempt 2 of 5\. Before that it failed: UNAVAILABLE: connection dropped\. What to do: See that the agent runs/,
    );
  });

  it('waits for the next attempt', () => {
    const wait = { kind: 'RETRY', attempt: 3, tries: 5, since: now, until: now + 1_500 } as const;
    const [said] = running({ step: 'GET_INVENTORY', wait, trouble });
    expect(said).toMatchObject({ cause: 'NODE', until: now + 1_500 });
    expect(said?.message).toMatch(/^GET_INVENTORY is tried again, attempt 3 of 5\. Before that/);
  });

  it('waits for the node’s account of a call whose reply was lost', () => {
    const [wait] = running({ step: 'RESTART', wait: { ...call, rpc: 'GetRunStatus' }, trouble });
    expect(wait?.message).toMatch(/asked what became of RESTART, the reply to which was lost/);
  });

  it('is told what the node itself gave as the reason', () => {
    const stubborn = { code: 'UNAUTHENTICATED', reason: 'PROOF_INVALID', message: 'proof does not match' };
    expect(said(running({ step: 'GET_JWT', wait: call, trouble: stubborn }))).toContain(
      adviceOn.PROOF_INVALID,
    );
  });

  it('waits for a place to run the helper in', () => {
    const [wait] = running({
      step: 'HELPER',
      wait: { kind: 'HELPER_SLOT', since: now - 90_000 },
      trouble: undefined,
    });
    expect(wait).toMatchObject({ cause: 'HELPER_SLOT', until: undefined });
    expect(wait?.message).toBe(
      'All 4 places for helpers are taken; 9 runs wait for one, this one for 1m30s. What to do: Raise ' +
        'helper_concurrency, or make the helper faster',
    );
  });

  it('waits for the helper, until that is ended', () => {
    const [wait] = running({
      step: 'HELPER',
      wait: { kind: 'HELPER', since: now - 4_000 },
      trouble: undefined,
    });
    expect(wait).toMatchObject({ cause: 'HELPER', until: now + 6_000 });
  });

  it('waits for what signs, and is told what is wrong with it', () => {
    const why = 'jwt_signing_token /etc/slipway/signer.jwt: it has expired; renew it';
    const [wait] = running({
      step: 'CREDENTIALS',
      wait: { kind: 'CREDENTIALS', why, since: now - 4_000 },
      trouble: undefined,
    });
    expect(wait).toMatchObject({ cause: 'CREDENTIALS', until: undefined });
    expect(wait?.message).toContain(why);
  });

  it('waits for nothing while the provisioner is at it', () => {
    expect(running({ step: 'CREDENTIALS', wait: undefined, trouble: undefined })).toEqual([]);
    expect(running({ step: undefined, wait: undefined, trouble: undefined }, { pause })).toEqual([]);
  });
});

it('two machines of one name are told of, whatever the host waits for', () => {
  const conflict = { at: now - 60_000, address: '192.0.2.1:1', newcomerAddress: '192.0.2.2:1' };
  for (const standing of [{ state: 'RELEASED' }, { state: 'QUEUED', place: 1 }] as const) {
    expect(said(waits({ standing, past: { conflict } }))).toMatch(
      /Two machines speak in its name: 192\.0\.2\.1:1 and 192\.0\.2\.2:1/,
    );
  }
});
