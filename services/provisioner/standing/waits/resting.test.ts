// Each test is a line of the table: where the host stands, how its last run ended, and what is said of it.

import { describe, expect, it } from 'vitest';
import {
  breaker,
  type Case,
  causes,
  left,
  noDiscovery,
  now,
  pause,
  run,
  said,
  until,
  waits,
} from '../../../../test/fakes/waits-bench.js';
import type { OutcomeKind } from '../../run/outcome.js';
import type { LeftHost, RunRecord } from '../past.js';
import { adviceOn } from './advice.js';
import type { Standing } from './wait.js';

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
    const stopped = said(heldAfter('SHUT_DOWN', { message: 'scrapped' }));
    expect(stopped).toMatch(/wanted it stopped: scrapped.*What to do: Nothing, unless it is wanted again/);
    expect(said(heldAfter('SUPERSEDED', { message: 'a higher fence' }))).toMatch(
      /Another provisioner .*: a higher fence/,
    );
    const failed = heldAfter('UPGRADE_FAILED', { reason: 'UPGRADE_REFUSED', message: 'no repository' });
    expect(said(failed)).toContain('UPGRADE_REFUSED: no repository');
    expect(said(failed)).toContain(adviceOn.UPGRADE_REFUSED);
  });

  it('would not be run after its hold while the helper fails for every node, unless it is done with', () => {
    expect(causes(heldAfter('UPGRADE_FAILED', {}, { under: { breaker } }))).toEqual(['HOLD', 'BREAKER']);
    expect(causes(heldAfter('PROVISIONED', {}, { under: { breaker } }))).toEqual(['HOLD']);
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
      '4 runs in a row have failed. Its last run failed at IDENTIFY: UNREACHABLE: connect ECONNREFUSED. When the time ' +
        `is over it is queued, where it was sighted of late; else released. What to do: ${adviceOn.UNREACHABLE}`,
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

  it('is told that the queue is full, which may be why it is not known', () => {
    const text = said(releasedBy('RUN_FINISHED', {}, { under: { queueIsFull: true } }));
    expect(text).toContain('The queue is full (queue_limit 50000), and what is sighted besides is dropped');
    expect(text).toContain('What to do: Raise queue_limit or workers where that is too late');
  });

  it('that was to stop is not looked for where it is silent', () => {
    const silent = { subject: { lastSightedAt: now - 600_000 } };
    expect(said(releasedBy('HOLD_OVER', {}, silent))).toContain('See that the node runs');
    const stopped = { outcome: 'SHUT_DOWN', reason: '', message: '' } as const;
    expect(said(releasedBy('HOLD_OVER', stopped, silent))).not.toContain('See that the node runs');
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
    expect(said(releasedBy('GONE'))).toMatch(/stops, or was not heard of.*last sighted 5s ago/);
    expect(said(releasedBy('NOT_SIGHTED'))).toMatch(/had not been sighted of late/);
    expect(said(releasedBy('QUEUE_FULL'))).toMatch(/queue is full \(queue_limit 50000\)/);
    expect(said(releasedBy('OPERATOR'))).toMatch(/An operator released it/);
    const neverRun = waits({ standing: released, past: { left: left('GONE') } });
    expect(causes(neverRun)).toEqual(['SIGHTING']);
  });

  it('that is not sighted any more is told so first', () => {
    const [wait] = releasedBy('RUN_FINISHED', {}, { subject: { lastSightedAt: now - 600_000 } });
    expect(wait?.message).toMatch(
      /It was last sighted 10m ago\. What to do: See that the node runs and reports/,
    );
    expect(wait?.message).toContain(adviceOn.UNREACHABLE);
  });

  it('would then wait for a helper that fails for every node', () => {
    expect(causes(releasedBy('RUN_FINISHED', {}, { under: { breaker } }))).toEqual(['SIGHTING', 'BREAKER']);
  });

  it('that was known when the provisioner ended is told so', () => {
    expect(said(releasedBy(undefined))).toMatch(
      /^It has not been sighted since the provisioner was restarted\. Its last run failed at IDENTIFY/,
    );
    const neverRun = waits({ standing: released, past: { left: left(undefined) } });
    expect(said(neverRun)).toMatch(/provisioner was restarted\. Its next sighting admits it/);
    const brokenOff = run({ outcome: undefined, reason: '', message: '', earlier: true });
    const during = waits({
      standing: released,
      runs: [brokenOff, run()],
      past: { left: left(undefined) },
    });
    expect(said(during)).toMatch(/provisioner was restarted during its last run\. Its last run failed/);
  });

  it('that had come up before the provisioner ended waits for nothing, unless it was sighted after that', () => {
    const [confirmationAt, sightedBefore, sightedAfter] = [now - 4_000, now - 5_000, now - 3_000];
    const up = { outcome: 'PROVISIONED', reason: '', confirmation: 'CONFIRMED', confirmationAt } as const;
    expect(releasedBy(undefined, up, { subject: { lastSightedAt: sightedBefore } })).toEqual([]);
    const again = releasedBy(undefined, up, { subject: { lastSightedAt: sightedAfter } });
    expect(causes(again)).toEqual(['SIGHTING']);
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
      // Last, so that nothing of it gets lost behind something else.
      expect(wait?.message.endsWith(`What to do: ${advice}`)).toBe(true);
    }
  },
);

const outcomes: Readonly<Record<OutcomeKind, true>> = {
  PROVISIONED: true,
  UPGRADED: true,
  UPGRADE_FAILED: true,
  SHUT_DOWN: true,
  DEFERRED: true,
  FAILED: true,
  SKIPPED_STALE: true,
  SUPERSEDED: true,
  CANCELLED: true,
};

it.each(Object.keys(outcomes) as OutcomeKind[])(
  'after %s something is said wherever the host stands',
  (outcome) => {
    const runs = [run({ outcome, reason: '', message: 'so and so' })];
    const causes = ['HOLD_OVER', 'RUN_FINISHED', 'GONE', 'NOT_SIGHTED', 'QUEUE_FULL', 'OPERATOR'] as const;
    const states: readonly Case[] = [
      { standing: { state: 'HELD', until }, runs },
      { standing: { state: 'BACKING_OFF', until }, runs },
      ...causes.map((cause) => ({
        standing: { state: 'RELEASED' } as const,
        runs,
        past: { left: left(cause) },
      })),
      { standing: { state: 'RELEASED' }, runs },
    ];
    for (const state of states) {
      const [wait] = waits(state);
      expect(wait?.message).toMatch(/^[A-Z].{20,}[^.]$/);
      expect(wait?.message).not.toContain('undefined');
    }
  },
);
