import { describe, expect, test } from 'vitest';
import { HostState, Outcome, Step } from '../../shared/gen/slipway/provisioner/v1/host.js';
import {
  Confirmation,
  GetHostResponse,
  WaitCause,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { toDuration } from '../../shared/wire/time.js';
import { fromNoon, plainView } from '../../test/fakes/views.js';
import { namesOf } from '../text/name.js';
import { reasonMeanings } from '../words/reasons.js';
import { hostDetails } from './details.js';
import { whyLines } from './why.js';

type Given = NonNullable<Parameters<typeof GetHostResponse.create>[0]>;

function why(given: Given, columns?: number): string {
  const host = { identity: 'n1.example.net', ...given.host };
  return whyLines(GetHostResponse.create({ ...given, host }), { ...plainView, columns }).join('\n');
}

const unreachable = {
  startedAt: fromNoon(-245),
  duration: toDuration(2_000),
  outcome: Outcome.FAILED,
  reason: 'UNREACHABLE',
  message: 'connect ECONNREFUSED 10.0.0.7:7430',
  lastStep: Step.IDENTIFY,
};

describe('why a host', () => {
  test('backs off: what happened, what it waits for, until when, and what to do', () => {
    const text = why({
      host: {
        state: HostState.BACKING_OFF,
        stateSince: fromNoon(-243),
        stateUntil: fromNoon(252),
        lastSightedAt: fromNoon(-8),
        failuresInARow: 3,
      },
      waits: [
        {
          cause: WaitCause.BACKOFF,
          until: fromNoon(252),
          message: 'Its last run failed. What to do: see that the agent runs',
        },
        { cause: WaitCause.PAUSED, message: 'Paused by eve.' },
      ],
      runs: [unreachable],
    });
    expect(text).toBe(`n1.example.net waits until it may be tried again, for 4 min 3 s, since 11:55:57.
3 runs in a row have failed. Last sighted 8 s ago, at 11:59:52.

It waits for the end of its backing off, for 4 min 12 s more, until 12:04:12.
  Its last run failed.
  What to do: see that the agent runs.
Then also for the end of the pause.
  Paused by eve.

Its runs, newest first:
  11:55:55  FAILED UNREACHABLE after 2 s, last step IDENTIFY
    the node did not answer: connect ECONNREFUSED 10.0.0.7:7430`);
  });

  test('says once how many runs have failed in a row', () => {
    const host = { state: HostState.BACKING_OFF, failuresInARow: 3 };
    const text = why({ host, waits: [{ cause: WaitCause.BACKOFF, message: '3 runs in a row have failed' }] });
    expect(text.match(/in a row/g)).toHaveLength(1);
  });

  test('is queued: its place', () => {
    const host = { state: HostState.QUEUED, stateSince: fromNoon(-3), queuePlace: 12 };
    const waits = [{ cause: WaitCause.TURN, message: '11 hosts are before it in the queue' }];
    const text = why({ host, waits });
    expect(text).toContain('n1.example.net waits for its turn (#12), for 3 s, since 11:59:57.');
    expect(text).toContain('It waits for its turn in the queue.\n  11 hosts are before it in the queue.');
    expect(text).toContain('No run of it is known.');
  });

  test('is worked on: the step, and for how long', () => {
    const host = { state: HostState.RUNNING, stateSince: fromNoon(-3), step: Step.HELPER };
    const runs = [{ startedAt: fromNoon(-3), duration: toDuration(3_000), lastStep: Step.HELPER }];
    const text = why({ host, runs, waits: [{ cause: WaitCause.HELPER, until: fromNoon(7) }] });
    expect(text).toContain('n1.example.net is being worked on at HELPER, for 3 s, since 11:59:57.');
    expect(text).toContain('It waits for the helper, for 7 s more, until 12:00:07.');
    expect(text).toContain('  11:59:57  goes on for 3 s, at HELPER');
  });

  test('is released: its past, and that it waits for nothing', () => {
    const confirmed = { confirmation: Confirmation.CONFIRMED, confirmationAt: fromNoon(-60) };
    const runs = [
      { startedAt: fromNoon(-90), duration: toDuration(1_000), outcome: Outcome.PROVISIONED, ...confirmed },
    ];
    const text = why({ host: { state: HostState.RELEASED, stateSince: fromNoon(-5) }, runs });
    expect(text).toContain('n1.example.net is not known at present: it was released 5 s ago, at 11:59:55.\n');
    expect(text).toContain('It waits for nothing: it is done with.');
    expect(text).toContain(
      '    configured and restarted\n    it came up with that configuration 1 min ago, at 11:59:00',
    );
  });

  test.each([
    [Confirmation.MISSED, 'it did not say in time that it came up; given up 1 min ago, at 11:59:00'],
    [
      Confirmation.PENDING,
      'its word on the restart is missing; it has still to say that it came up (until 11:59:00)',
    ],
  ])('is held: whether it came up (%s)', (confirmation, said) => {
    const run = {
      outcome: Outcome.PROVISIONED,
      confirmation,
      confirmationAt: fromNoon(-60),
      unsettled: true,
    };
    expect(why({ host: { state: HostState.HELD }, runs: [run] })).toContain(said);
  });

  test('a wait that is over is said to be', () => {
    const waits = [{ cause: WaitCause.HOLD, until: fromNoon(-1) }];
    expect(why({ waits })).toContain('It waits for the end of its hold, until 11:59:59, which is now.');
  });

  test('was worked on before the provisioner was restarted', () => {
    const response = {
      provisionerStartedAt: fromNoon(-60),
      runs: [
        { ...unreachable, startedAt: fromNoon(-30) },
        { earlier: true, startedAt: fromNoon(-70), lastStep: Step.CONFIGURE },
        { ...unreachable, earlier: true, outcome: Outcome.PROVISIONED, reason: '', message: '' },
      ],
    };
    const text = why(response);
    expect(text).toContain(`Its runs, newest first:
  11:59:30  FAILED UNREACHABLE after 2 s, last step IDENTIFY
    the node did not answer: connect ECONNREFUSED 10.0.0.7:7430
Its runs before the provisioner was started 1 min ago, at 11:59:00:
  11:58:50  broken off, last step CONFIGURE
    the provisioner ended while it went on
  11:55:55  PROVISIONED after 2 s, last step IDENTIFY
    configured and restarted
    nothing was heard of whether it came up`);
    const [, ...earlier] = response.runs;
    expect(why({ ...response, runs: earlier })).not.toContain('newest first');
    const details = hostDetails(GetHostResponse.create(response), plainView).join('\n');
    expect(details).toMatch(
      /restarted +the provisioner, 1 min ago, at 11:59:00; what started before is told by/,
    );
    expect(details).toMatch(/11:58:50 +broken off +CONFIGURE/);
  });

  test('fits on a screen: five runs, lines as wide as the terminal', () => {
    const text = why({ runs: Array.from({ length: 8 }, () => unreachable) }, 60);
    expect(text).toContain('  … and 3 more: slipway host n1.example.net');
    const lines = text.split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
  });

  test.each(Object.keys(reasonMeanings))('that failed with %s: what that means', (reason) => {
    const text = why({ runs: [{ ...unreachable, reason }] });
    expect(text).toContain(`FAILED ${reason} after 2 s`);
    expect(text).toMatch(/\n {4}[a-z].+: connect ECONNREFUSED/);
  });

  test('a reason that is new is shown as it is', () => {
    expect(why({ runs: [{ ...unreachable, reason: 'NEW_ONE' }] })).toContain('FAILED NEW_ONE after 2 s');
  });

  test.each(namesOf(WaitCause))('that waits for %s: in words', (name) => {
    const cause = WaitCause[name as keyof typeof WaitCause];
    expect(why({ waits: [{ cause }] })).toMatch(/\nIt waits for (the|its|a|this|signing) /);
  });

  test.each(namesOf(Outcome))('whose run ended as %s: in words', (name) => {
    const outcome = Outcome[name as keyof typeof Outcome];
    expect(why({ runs: [{ ...unreachable, outcome, reason: '' }] })).toMatch(
      new RegExp(`${name} after 2 s.+\n {4}[a-z]`),
    );
  });
});

test('all about a host: its record, its waits and its runs', () => {
  const response = GetHostResponse.create({
    host: {
      identity: 'n1.example.net',
      state: HostState.HELD,
      stateSince: fromNoon(-30),
      stateUntil: fromNoon(30),
      address: '10.0.0.7:7430',
      certificateSha256: Buffer.from('ab'.repeat(32), 'hex'),
      discovery: 'd:7412',
      lastOutcome: Outcome.PROVISIONED,
    },
    waits: [{ cause: WaitCause.HOLD, until: fromNoon(30) }],
    runs: [{ ...unreachable, runId: 'r-1' }],
  });
  expect(hostDetails(response, plainView).join('\n')).toBe(`n1.example.net
state        held, for 30 s, since 11:59:30
until        in 30 s, at 12:00:30
waits for    the end of its hold, in 30 s, at 12:00:30
address      10.0.0.7:7430
certificate  ${'ab'.repeat(32)}
discovery    d:7412
last run     PROVISIONED

STARTED   TOOK  OUTCOME             LAST STEP  RUN  MESSAGE
11:55:55   2 s  FAILED UNREACHABLE  IDENTIFY   r-1  connect ECONNREFUSED 10.0.0.7:7430`);
});
