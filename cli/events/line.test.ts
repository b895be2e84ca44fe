import { describe, expect, test } from 'vitest';
import {
  Event,
  EventType,
  Gap,
  GapReason,
  QueueCause,
  ReleaseCause,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import { HostState, Outcome, Step } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { toDuration } from '../../shared/wire/time.js';
import { fromNoon, plainView } from '../../test/fakes/views.js';
import { namesOf } from '../text/name.js';
import { eventLine, gapLine } from './line.js';
import { formatPosition, parsePosition } from './position.js';

type Details = NonNullable<Parameters<typeof Event.create>[0]>['details'];

const seconds = (count: number) => toDuration(count * 1000);

const events: readonly (readonly [keyof typeof EventType, Details, string])[] = [
  [
    'HOST_QUEUED',
    { $case: 'hostQueued', value: { cause: QueueCause.NEW_BOOT, address: '10.0.0.7:1' } },
    'booted anew, at 10.0.0.7:1',
  ],
  [
    'HOST_DROPPED',
    { $case: 'hostDropped', value: { count: 12n, examples: ['a', 'b'] } },
    '12 hosts did not fit into the queue: a, b',
  ],
  [
    'HOST_RELEASED',
    { $case: 'hostReleased', value: { cause: ReleaseCause.GONE, message: 'EXPIRED' } },
    'it stopped, or is not heard of any more: EXPIRED',
  ],
  [
    'RUN_STARTED',
    { $case: 'runStarted', value: { address: '10.0.0.7:1', failuresInARow: 2 } },
    'at 10.0.0.7:1, after 2 failures in a row',
  ],
  [
    'STEP_COMPLETED',
    { $case: 'stepCompleted', value: { step: Step.HELPER, tries: 2, duration: seconds(1.5) } },
    'HELPER in 1.5 s, 2 tries',
  ],
  [
    'STEP_FAILED',
    {
      $case: 'stepFailed',
      value: {
        step: Step.CONFIGURE,
        attempt: 1,
        code: 'UNAVAILABLE',
        reason: 'STOPPING',
        message: 'refused',
        willRetry: true,
        duration: seconds(2),
      },
    },
    'CONFIGURE, attempt 1 after 2 s: UNAVAILABLE STOPPING: refused; tried again',
  ],
  [
    'RUN_FINISHED',
    {
      $case: 'runFinished',
      value: {
        outcome: Outcome.FAILED,
        reason: 'UNREACHABLE',
        message: 'refused',
        duration: seconds(2),
        nextState: HostState.BACKING_OFF,
        nextStateUntil: fromNoon(240),
        failuresInARow: 3,
      },
    },
    'FAILED UNREACHABLE in 2 s, 3 failures in a row: refused; then backing off until 12:04:00',
  ],
  [
    'NODE_CONFIRMED',
    { $case: 'nodeConfirmed', value: { onItsOwnWord: true, after: seconds(3) } },
    'it came up configured 3 s after its run, on its own word',
  ],
  [
    'CONFIRMATION_MISSED',
    { $case: 'confirmationMissed', value: { timeout: seconds(120) } },
    'it did not say within 2 min that it came up',
  ],
  [
    'PROVISION_LOOP',
    { $case: 'provisionLoop', value: { times: 3, within: seconds(3600), until: fromNoon(60) } },
    'it came back unprovisioned 3 times within 1 h; left alone until 12:01:00',
  ],
  [
    'NODE_CONFLICT',
    { $case: 'nodeConflict', value: { address: 'a:1', newcomerAddress: 'b:1' } },
    'two machines speak in its name: a:1, which stays, and b:1',
  ],
  ['PAUSED', { $case: 'paused', value: { by: 'eve', message: 'switch' } }, 'by eve: switch'],
  ['RESUMED', { $case: 'resumed', value: { by: '', message: '' } }, ''],
  ['LEADER_WON', { $case: 'leaderWon', value: {} }, 'this provisioner works now'],
  [
    'LEADER_LOST',
    { $case: 'leaderLost', value: { message: 'expired' } },
    'this provisioner works no more: expired',
  ],
  [
    'BREAKER_OPENED',
    { $case: 'breakerOpened', value: { failures: 20, reason: 'HELPER_EXIT', message: 'exit code 3' } },
    'no runs start: the helper failed 20 times in a row: HELPER_EXIT: exit code 3',
  ],
  [
    'BREAKER_CLOSED',
    { $case: 'breakerClosed', value: { after: seconds(90) } },
    'the helper works again, after 1 min 30 s',
  ],
];

describe('the line of an event', () => {
  test.each(events)('%s', (name, details, said) => {
    const event = Event.create({ type: EventType[name], identity: 'n1', time: fromNoon(0.25), details });
    const before = `12:00:00.250  ${name.padEnd(19)}  n1                        `;
    expect(eventLine(event, plainView)).toBe(`${before}${said}`.trimEnd());
  });

  test('there is one for every type', () => {
    expect(events.map(([name]) => name)).toEqual(namesOf(EventType));
  });

  test('of a type that is not known has its number', () => {
    expect(eventLine(Event.create({ type: 99 as EventType, time: fromNoon(0) }), plainView)).toContain('99');
  });

  test('is cut on a terminal, and in colour', () => {
    const [, , , , , [name, details] = []] = events;
    const event = Event.create({
      type: EventType[name ?? 'PAUSED'],
      identity: 'n1',
      time: fromNoon(0),
      details,
    });
    expect(eventLine(event, { ...plainView, columns: 90, colour: true })).toBe(
      '12:00:00.000  \u001b[33mSTEP_FAILED        \u001b[0m  n1                        CONFIGURE, attempt 1 after 2…',
    );
  });

  test('has no more lines than one, whatever a node said', () => {
    const value = { step: Step.HELPER, attempt: 1, message: 'a\n\u001b[2Jb' };
    const event = Event.create({ type: EventType.STEP_FAILED, details: { $case: 'stepFailed', value } });
    expect(eventLine(event, plainView)).toContain('a\\u{a}\\u{1b}[2Jb');
  });
});

describe('the line of a gap', () => {
  test.each([
    [
      { first: 12n, last: 40n, reason: GapReason.RETENTION },
      'events 12 to 40 are missing: they were too old',
    ],
    [
      { first: 7n, last: 7n, reason: GapReason.WRITE_FAILED },
      'event 7 is missing: the provisioner could not write',
    ],
    [
      { logId: 'old', first: 9n, last: 0n, reason: GapReason.LOG_REPLACED },
      'the events of log old from 9 on are missing: the provisioner has another log now',
    ],
  ])('%#', (gap, said) => {
    expect(gapLine(Gap.create(gap), plainView)).toContain(said);
  });
});

describe('places in a log', () => {
  const logId = '0192f0c0-0000-4000-8000-000000000001';

  test('are read as they are written', () => {
    expect(parsePosition(formatPosition({ logId, sequence: 42n }))).toEqual({ logId, sequence: 42n });
  });

  test.each(['', '42', `${logId}:`, `${logId}:-1`, `${logId}:9223372036854775808`, `x${logId}:1`])(
    '%j is none',
    (text) => {
      expect(() => parsePosition(text)).toThrow('Expected LOG_ID:SEQUENCE');
    },
  );
});
