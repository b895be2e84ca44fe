import { describe, expect, test } from 'vitest';
import { Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { GetStatusResponse } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { toDuration } from '../../shared/wire/time.js';
import { fromNoon, plainView } from '../../test/fakes/views.js';
import { statusLines } from './lines.js';

const well: Parameters<typeof GetStatusResponse.create>[0] = {
  site: 'lab',
  provisioner: 'p-1',
  version: '1.2.3',
  startedAt: fromNoon(-7_200),
  ready: true,
  pause: { paused: false },
  queue: { entries: 12, limit: 50_000, oldest: toDuration(4_000) },
  workers: { busy: 64, total: 64 },
  hosts: { queued: 12, running: 64, held: 300, backingOff: 4 },
  rates: { sightings: 10.24, runs: 5, provisioned: 4.9, failed: 0.1, confirmed: 4.9 },
  outcomes: [
    { outcome: Outcome.FAILED, reason: 'UNREACHABLE', count: 3n },
    { outcome: Outcome.PROVISIONED, reason: '', count: 1200n },
  ],
  confirmations: { pending: 10, confirmed: 1190n },
  breaker: { limit: 20 },
  discoveries: [
    {
      address: 'd:7412',
      connected: true,
      since: fromNoon(-3_600),
      epoch: 'e',
      revision: 47n,
      interval: toDuration(60_000),
    },
  ],
  log: { logId: 'l-1', first: 1n, last: 480n, subscribers: 3 },
  credentials: [{ name: 'jwt_signing_token', expiresAt: fromNoon(86_400 * 30), usable: true }],
};

function lines(over: Parameters<typeof GetStatusResponse.create>[0] = {}): string {
  return statusLines(GetStatusResponse.create({ ...well, ...over }), plainView).join('\n');
}

describe('the status of a provisioner', () => {
  test('that does well', () => {
    expect(lines()).toBe(`site lab: provisioner p-1, version 1.2.3, up for 2 h
ready       yes
paused      no
queue       12 hosts of at most 50000, the oldest has waited 4 s
workers     64 of 64 busy
hosts       12 queued, 64 running, 300 held, 4 backing off
per second  10.2 sightings, 5.0 runs, 4.9 provisioned, 0.1 failed, 4.9 confirmed (last minute)
runs        1200 PROVISIONED, 3 FAILED UNREACHABLE
confirmed   1190 nodes; 10 awaited, 0 missed
helper      works
discovery   d:7412: watched for 1 h, since 11:00:00, nodes are sighted every 1 min, revision 47
events      1 to 480 in log l-1; 3 subscribers
keys        jwt_signing_token: expires in 30 d, at 2030-01-31 12:00:00`);
  });

  const cases: readonly (readonly [string, NonNullable<Parameters<typeof lines>[0]>, RegExp])[] = [
    ['is not ready', { ready: false, notReadyBecause: 'no discovery' }, /ready +no: no discovery/],
    [
      'is paused',
      { pause: { paused: true, byOperator: true, since: fromNoon(-90), by: 'eve', message: 'switch' } },
      /paused +yes, for 1 min 30 s, since 11:58:30; paused by eve: switch/,
    ],
    [
      'does not lead',
      { pause: { paused: true, notLeader: true } },
      /paused +yes, another provisioner is the leader/,
    ],
    [
      'drops sightings',
      { queue: { entries: 5, limit: 5, dropped: 7n } },
      /queue +5 hosts of at most 5; 7 sightings did not fit/,
    ],
    [
      'has a helper that fails',
      {
        breaker: {
          open: true,
          failures: 20,
          limit: 20,
          since: fromNoon(-30),
          nextProbeAt: fromNoon(12),
          reason: 'HELPER_EXIT',
          message: 'exit code 3',
        },
      },
      /helper +fails: no run has started for 30 s, since 11:59:30, after 20 failures in a row; tried again in 12 s, at 12:00:12; the last: HELPER_EXIT: exit code 3/,
    ],
    [
      'has a helper that fails at times',
      { breaker: { failures: 2, limit: 20, reason: 'HELPER_EMPTY' } },
      /helper +2 failures in a row, at 20 no run starts any more; the last: HELPER_EMPTY/,
    ],
    [
      'sees no discovery',
      { discoveries: [{ address: 'd:1', connected: false, since: fromNoon(-5), lastError: 'refused' }] },
      /discovery +d:1: not watched for 5 s, since 11:59:55: refused/,
    ],
    [
      'cannot write its log',
      { log: { logId: 'l', failing: true, error: 'ENOSPC', lost: 2n } },
      /events +empty in log l; 0 subscribers\n +cannot be written: ENOSPC\n +2 events could not be written and are lost/,
    ],
    [
      'cannot sign',
      { credentials: [{ name: 'jwt_signing_key', usable: false, message: 'ENOENT' }] },
      /keys +jwt_signing_key: not usable, runs wait for it: ENOENT/,
    ],
    [
      'has a key that has expired',
      { credentials: [{ name: 'tls.cert', usable: true, expiresAt: fromNoon(-60) }] },
      /keys +tls\.cert: expired 1 min ago, at 11:59:00/,
    ],
  ];

  test.each(cases)('that %s', (_, over, said) => {
    expect(lines(over)).toMatch(said);
  });

  test('what others wrote moves no cursor', () => {
    expect(lines({ notReadyBecause: '\u001b[2J', ready: false })).not.toContain('\u001b');
  });
});
