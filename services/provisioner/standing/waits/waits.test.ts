// Each test is a line of the table that waits.ts is: where the host stands, how its last run ended, and what is said.

import { describe, expect, it } from 'vitest';
import { newRunId } from '../../../../shared/identity.js';
import { boot, identity } from '../../../../test/fakes/node-events.js';
import type { OutcomeKind } from '../../run/outcome.js';
import type { LeftHost, Past, RunRecord } from '../past.js';
import { adviceOn } from './advice.js';
import type { Circumstances, Standing, Subject, Wait } from './wait.js';
import { waitsOf } from './waits.js';

const now = Date.UTC(2030, 0, 1);
const until = now + 240_000;

const quiet: Circumstances = {
  now,
  pause: undefined,
  workers: { busy: 3, total: 64 },
  runsPerSecond: 0,
  intervalMs: 60_000,
  discoveryMissing: undefined,
  queueLimit: 50_000,
  helper: { slots: 4, waiting: 9, timeoutMs: 10_000 },
};
const pause = { since: now - 60_000, by: 'ops', message: 'new switch' };
const noDiscovery = 'no discovery service is watched (d:1: connect ECONNREFUSED)';

function run(over: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: newRunId(),
    fence: 1n,
    bootId: boot(1),
    startedAt: now - 2_000,
    durationMs: 1_000,
    outcome: 'FAILED',
    reason: 'UNREACHABLE',
    message: 'connect ECONNREFUSED',
    lastStep: 'IDENTIFY',
    unsettled: false,
    confirmation: undefined,
    confirmationAt: undefined,
    ...over,
  };
}

function left(cause: LeftHost['cause']): LeftHost {
  return {
    cause,
    at: now - 1_000,
    address: '192.0.2.1:7430',
    bootId: boot(1),
    version: '',
    certificateSha256: '',
    discovery: 'd:1',
    admittedAt: now - 9_000,
    lastSightedAt: now - 5_000,
  };
}

interface Case {
  readonly standing: Standing;
  readonly runs?: readonly RunRecord[];
  readonly past?: Partial<Past>;
  readonly subject?: Partial<Subject>;
  readonly under?: Partial<Circumstances>;
}

function waits({ standing, runs = [], past, subject, under }: Case): Wait[] {
  const known: Past = {
    identity: identity('a.example.net'),
    runs,
    left: undefined,
    loop: undefined,
    conflict: undefined,
    ...past,
  };
  return waitsOf(
    {
      standing,
      lastSightedAt: now - 5_000,
      isStale: false,
      failuresInRow: 0,
      past: known,
      pending: undefined,
      ...subject,
    },
    { ...quiet, ...under },
  );
}

const causes = (all: readonly Wait[]) => all.map(({ cause }) => cause);
const said = (all: readonly Wait[]) => all.map(({ message }) => message).join(' | ');

describe('a queued host', () => {
  const second: Standing = { state: 'QUEUED', place: 13 };

  it('waits for its turn, and is told how far it is and what is busy', () => {
    const busy = { workers: { busy: 64, total: 64 }, runsPerSecond: 0.5 };
    const [wait, ...others] = waits({ standing: second, under: busy });
    expect(others).toEqual([]);
    expect(wait).toMatchObject({ cause: 'TURN', until: undefined });
    expect(wait?.message).toBe(
      '12 hosts are before it in the queue; all 64 workers are busy. At the pace of the last minute its turn comes at ' +
        'about 2030-01-01T00:00:24Z. Raise workers where that takes too long',
    );
  });

  it('is told where it is the next', () => {
    expect(said(waits({ standing: { state: 'QUEUED', place: 1 } }))).toBe(
      'It is the next in the queue; 3 of 64 workers are busy',
    );
  });

  it('waits for the end of a pause first', () => {
    const all = waits({ standing: second, under: { pause } });
    expect(causes(all)).toEqual(['PAUSED', 'TURN']);
    expect(said(all)).toContain('paused since 2029-12-31T23:59:00Z by ops: new switch');
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
      'All 4 places for helpers are taken; 9 runs wait for one, this one for 1m30s. Raise helper_concurrency, or make ' +
        'the helper faster',
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

describe('a held host', () => {
  const held: Standing = { state: 'HELD', until };
  const heldAfter = (
    outcome: OutcomeKind,
    over: Partial<RunRecord> = {},
    more: Omit<Case, 'standing'> = {},
  ) => waits({ standing: held, runs: [run({ outcome, reason: '', message: '', ...over })], ...more });

  it('waits for the end of its hold, whatever it is held after', () => {
    for (const outcome of ['PROVISIONED', 'SHUT_DOWN', 'UPGRADE_FAILED', 'SUPERSEDED'] as const) {
      const [wait] = heldAfter(outcome);
      expect(wait).toMatchObject({ cause: 'HOLD', until });
      expect(wait?.message).not.toBe('');
    }
  });

  it('that was provisioned waits for its confirmation besides', () => {
    const pending = { run: run({ outcome: 'PROVISIONED', unsettled: true }), until: until + 1 };
    const all = heldAfter('PROVISIONED', {}, { subject: { pending }, under: { pause } });
    expect(causes(all)).toEqual(['HOLD', 'CONFIRMATION']);
    expect(all[1]?.until).toBe(until + 1);
    expect(all[1]?.message).toMatch(/answer to Restart was lost/);
    expect(said(heldAfter('PROVISIONED', { confirmation: 'CONFIRMED' }))).toMatch(/has come up/);
    expect(said(heldAfter('PROVISIONED', { confirmation: 'MISSED' }))).toMatch(/has not said in time/);
  });

  it('is told what its last run ended with', () => {
    expect(said(heldAfter('SHUT_DOWN', { message: 'scrapped' }))).toMatch(/wanted it stopped: scrapped/);
    expect(said(heldAfter('SUPERSEDED', { message: 'a higher fence' }))).toMatch(
      /Another provisioner .*: a higher fence/,
    );
    const failed = heldAfter('UPGRADE_FAILED', { reason: 'UPGRADE_REFUSED', message: 'no repository' });
    expect(said(failed)).toContain('UPGRADE_REFUSED: no repository');
    expect(said(failed)).toContain(adviceOn.UPGRADE_REFUSED);
  });

  it('would not be admitted after its hold while the provisioner is paused', () => {
    expect(causes(heldAfter('UPGRADE_FAILED', {}, { under: { pause } }))).toEqual(['HOLD', 'PAUSED']);
  });
});

describe('a host that backs off', () => {
  const away: Standing = { state: 'BACKING_OFF', until };

  it('is told how many runs failed, how the last one did, and what to do', () => {
    const [wait, ...others] = waits({ standing: away, runs: [run()], subject: { failuresInRow: 4 } });
    expect(others).toEqual([]);
    expect(wait).toMatchObject({ cause: 'BACKOFF', until });
    expect(wait?.message).toBe(
      '4 runs in a row have failed. Its last run failed at IDENTIFY: UNREACHABLE: connect ECONNREFUSED. What to do: ' +
        `${adviceOn.UNREACHABLE}. When the time is over it is queued, where it was sighted of late; else released`,
    );
  });

  it('was asked for by the helper, or by the node', () => {
    const deferred = (lastStep: RunRecord['lastStep']) =>
      waits({
        standing: away,
        runs: [run({ outcome: 'DEFERRED', reason: '', message: 'rack is not wired', lastStep })],
      });
    expect(causes(deferred('HELPER'))).toEqual(['DEFERRED']);
    expect(said(deferred('HELPER'))).toMatch(/helper asked to be asked later: rack is not wired/);
    expect(said(deferred('CONFIGURE'))).toMatch(/node asked to be left: rack is not wired/);
  });

  it('keeps coming back unprovisioned', () => {
    const loop = { times: 3, withinMs: 3_600_000 };
    const all = waits({
      standing: away,
      runs: [run({ outcome: 'DEFERRED', reason: '' })],
      past: { loop },
    });
    expect(causes(all)).toEqual(['BACKOFF']);
    expect(said(all)).toMatch(/3 times within 1h .* looping/);
    expect(causes(waits({ standing: away, past: { loop } }))).toEqual(['BACKOFF']);
  });

  it('waits for a sighting too, where the last is old, and for the end of a pause', () => {
    const subject = { isStale: true, lastSightedAt: now - 600_000 };
    const all = waits({ standing: away, runs: [run()], subject, under: { pause } });
    expect(causes(all)).toEqual(['BACKOFF', 'SIGHTING', 'PAUSED']);
    expect(all[1]?.message).toMatch(/last sighted 10m ago/);
  });

  it('is told where nothing is sighted at all', () => {
    const all = waits({ standing: away, runs: [run()], under: { discoveryMissing: noDiscovery } });
    expect(causes(all)).toEqual(['BACKOFF', 'SIGHTING']);
    expect(all[1]?.message).toContain(noDiscovery);
  });
});

describe('a host that was released', () => {
  const released: Standing = { state: 'RELEASED' };
  const releasedBy = (
    cause: LeftHost['cause'],
    over: Partial<RunRecord> = {},
    more: Omit<Case, 'standing' | 'runs' | 'past'> = {},
  ) => waits({ standing: released, runs: [run(over)], past: { left: left(cause) }, ...more });

  it('waits for its next sighting', () => {
    const [wait, ...others] = releasedBy('RUN_FINISHED');
    expect(others).toEqual([]);
    expect(wait).toMatchObject({ cause: 'SIGHTING', until: undefined });
    expect(wait?.message).toContain('Its next sighting admits it; live nodes are sighted once in 1m');
    expect(wait?.message).toContain('It was last sighted 5s ago');
  });

  it('is told how each outcome has left it', () => {
    const texts: Partial<Record<OutcomeKind, RegExp>> = {
      UPGRADED: /was upgraded from 1 to 2 and restarts/,
      SHUT_DOWN: /wanted it stopped/,
      DEFERRED: /node asked to be left/,
      SKIPPED_STALE: /not been sighted for twice the interval/,
      SUPERSEDED: /superseded: from 1 to 2/,
      CANCELLED: /cancelled: from 1 to 2; nothing is held against/,
    };
    for (const [outcome, text] of Object.entries(texts)) {
      const ended = { outcome: outcome as OutcomeKind, reason: '', message: 'from 1 to 2' };
      expect(said(releasedBy('RUN_FINISHED', ended))).toMatch(text);
    }
  });

  it('that came up waits for nothing', () => {
    const provisioned = { outcome: 'PROVISIONED', reason: '', message: '' } as const;
    expect(releasedBy('HOLD_OVER', { ...provisioned, confirmation: 'CONFIRMED' })).toEqual([]);
    expect(releasedBy('CONFIGURED', provisioned)).toEqual([]);
  });

  it('that was provisioned waits for its confirmation, and after that for a sighting', () => {
    const provisioned = { outcome: 'PROVISIONED', reason: '', message: '' } as const;
    const pending = { run: run(provisioned), until };
    const all = releasedBy('HOLD_OVER', provisioned, { subject: { pending } });
    expect(all.map((wait) => [wait.cause, wait.until])).toEqual([['CONFIRMATION', until]]);
    const missed = releasedBy('HOLD_OVER', { ...provisioned, confirmation: 'MISSED' });
    expect(causes(missed)).toEqual(['SIGHTING']);
    expect(said(missed)).toMatch(/has not said in time that it came up/);
  });

  it('that was cut off may still come up by itself', () => {
    const cutOff = run({
      reason: 'RPC_FAILED',
      message: 'configured, but not restarted: x',
      lastStep: 'RESTART',
    });
    const all = waits({
      standing: released,
      runs: [cutOff],
      past: { left: left('RUN_FINISHED') },
      subject: { pending: { run: cutOff, until } },
    });
    expect(causes(all)).toEqual(['SIGHTING', 'CONFIRMATION']);
    expect(all[1]?.message).toMatch(/may still restart by itself/);
  });

  it('is told what became of it where that was not its run', () => {
    expect(said(releasedBy('GONE'))).toMatch(/stops, or was not heard of/);
    expect(said(releasedBy('NOT_SIGHTED'))).toMatch(/had not been sighted of late/);
    expect(said(releasedBy('QUEUE_FULL'))).toMatch(/queue is full \(queue_limit 50000\)/);
    expect(said(releasedBy('OPERATOR'))).toMatch(/An operator released it/);
    const neverRun = waits({ standing: released, past: { left: left('GONE') } });
    expect(causes(neverRun)).toEqual(['SIGHTING']);
  });

  it('waits for the end of a pause first, and is told where nothing is sighted', () => {
    const all = releasedBy('RUN_FINISHED', {}, { under: { pause, discoveryMissing: noDiscovery } });
    expect(causes(all)).toEqual(['PAUSED', 'SIGHTING']);
    expect(all[1]?.message).toMatch(/^Nothing is sighted now: no discovery service is watched/);
  });
});

it.each(Object.entries(adviceOn))(
  'after %s people are told the reason, the message and what to do',
  (reason, advice) => {
    const upgrade = reason.startsWith('UPGRADE_');
    const failed = run({ outcome: upgrade ? 'UPGRADE_FAILED' : 'FAILED', reason, message: 'so and so' });
    const states: readonly Case[] = [
      { standing: { state: 'RELEASED' }, past: { left: left('RUN_FINISHED') } },
      { standing: { state: 'BACKING_OFF', until } },
      ...(upgrade ? [{ standing: { state: 'HELD', until } as const }] : []),
    ];
    for (const state of states) {
      const [wait] = waits({ ...state, runs: [failed] });
      expect(wait?.message).toContain(`${reason}: so and so`);
      expect(wait?.message).toContain(`What to do: ${advice}`);
    }
  },
);

it('two machines of one name are told of, whatever the host waits for', () => {
  const conflict = { at: now - 60_000, address: '192.0.2.1:1', newcomerAddress: '192.0.2.2:1' };
  for (const standing of [{ state: 'RELEASED' }, { state: 'QUEUED', place: 1 }] as const) {
    expect(said(waits({ standing, past: { conflict } }))).toMatch(
      /Two machines speak in its name: 192\.0\.2\.1:1 and 192\.0\.2\.2:1/,
    );
  }
});
