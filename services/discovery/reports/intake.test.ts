import { expect, test } from 'vitest';
import { parseCidr } from '../../../shared/net/dial-policy.js';
import { announcement, type Boot, RegistryBench } from '../../../test/fakes/registry-bench.js';
import type { Report } from '../nodes/announcement.js';
import { Intake, type IntakeOptions } from './intake.js';
import { Load } from './load.js';
import { Pace } from './pace.js';
import { SourceRates } from './source-rates.js';

function setUp(
  options: Partial<IntakeOptions> & {
    readonly rate?: number;
    readonly perSource?: number;
    readonly maxNodes?: number;
  } = {},
) {
  const { maxNodes = 10_000 } = options;
  const bench = new RegistryBench({ maxNodes });
  const load = new Load(() => 0);
  const intake = new Intake({
    registry: bench.registry,
    pace: new Pace(bench.clock, { reportIntervalMs: 10_000, maxReportsPerSecond: options.rate ?? 500 }, load),
    load,
    sourceRates: new SourceRates(bench.clock, options.perSource ?? 0),
    trustAdvertisedHost: false,
    nodeNetworks: [],
    lookup: () => Promise.reject(new Error('no such name')),
    ...options,
  });
  return { bench, intake };
}

function reportOf(boot: Boot, type: Report['type'], over: Partial<Report> = {}): Report {
  boot.sequence++;
  return { ...announcement(boot, type), port: 7430, host: '', ...over };
}

function addressesOf(bench: RegistryBench): string[] {
  return [...bench.registry.live()].map(({ address }) => address);
}

test('a node is dialled at the address that it reports from, whatever host it names', async () => {
  const { bench, intake } = setUp();
  const report = reportOf(bench.boot('a'), 'STARTUP', { host: '10.7.7.7', port: 99 });
  expect(await intake.take(report, '10.0.0.5')).toMatchObject({ kind: 'ACCEPTED' });
  expect(addressesOf(bench)).toEqual(['10.0.0.5:99']);
});

test('the host that it names is heeded where that is trusted, and resolved', async () => {
  const lookup = async (host: string) => (host === 'a.example' ? ['10.7.7.7'] : []);
  const { bench, intake } = setUp({ trustAdvertisedHost: true, lookup });
  await intake.take(reportOf(bench.boot('a'), 'STARTUP', { host: 'a.example' }), '10.0.0.5');
  await intake.take(reportOf(bench.boot('b'), 'STARTUP', { host: '::ffff:10.7.7.8' }), '10.0.0.5');
  await intake.take(reportOf(bench.boot('c'), 'STARTUP'), '2001:db8::5');
  expect(addressesOf(bench)).toEqual(['10.7.7.7:7430', '10.7.7.8:7430', '[2001:db8::5]:7430']);
});

test.each([
  ['127.0.0.1', []],
  ['169.254.1.1', []],
  ['224.0.0.1', []],
  ['0.0.0.0', []],
  ['fe80::1', []],
  ['192.168.0.1', ['10.0.0.0/8']],
])('an address that may not be dialled is refused: %s', async (peer, networks) => {
  const { bench, intake } = setUp({ nodeNetworks: networks.map(parseCidr) });
  const outcome = await intake.take(reportOf(bench.boot('a'), 'STARTUP'), peer);
  expect(outcome).toMatchObject({ kind: 'REFUSED', reason: 'ADDRESS_REFUSED' });
  expect(bench.registry.liveCount).toBe(0);
});

test('a name that does not resolve may do so later', async () => {
  const { bench, intake } = setUp({ trustAdvertisedHost: true });
  const outcome = await intake.take(
    reportOf(bench.boot('a'), 'STARTUP', { host: 'gone.example' }),
    '10.0.0.5',
  );
  expect(outcome).toMatchObject({ reason: 'ADDRESS_REFUSED', retryAfterMs: 10_000 });
});

test('over the rate only PROVISIONED, repeats, and what a lease hangs on is taken', async () => {
  const { bench, intake } = setUp({ rate: 2 });
  const known = bench.boot('known');
  const first = reportOf(known, 'STARTUP');
  await intake.take(first, '10.0.0.1');
  await intake.take(reportOf(bench.boot('other'), 'STARTUP'), '10.0.0.2');
  const late = bench.boot('late');
  const refused = reportOf(late, 'STARTUP');
  expect(await intake.take(refused, '10.0.0.3')).toMatchObject({ reason: 'RATE_LIMITED', retryAfterMs: 500 });
  expect(await intake.take(first, '10.0.0.1')).toMatchObject({ kind: 'ACCEPTED' });
  expect(await intake.take(reportOf(bench.boot('up'), 'PROVISIONED'), '10.0.0.4')).toMatchObject({
    kind: 'ACCEPTED',
  });
  expect(await intake.take(reportOf(known, 'SHUTDOWN'), '10.0.0.1')).toMatchObject({ kind: 'ACCEPTED' });
  await bench.pass(5000);
  expect(await intake.take(refused, '10.0.0.3')).toMatchObject({ kind: 'ACCEPTED' });
});

test("a node for which there is no room is refused before its name is resolved, and takes nobody's turn", async () => {
  const asked: string[] = [];
  const lookup = async (host: string) => {
    asked.push(host);
    return ['10.7.7.7'];
  };
  const { bench, intake } = setUp({ trustAdvertisedHost: true, lookup, rate: 2, maxNodes: 1 });
  const known = bench.boot('known', '10.7.7.7:7430');
  await intake.take(reportOf(known, 'STARTUP', { host: 'known.example' }), '10.0.0.1');
  for (let index = 0; index < 10; index++) {
    const report = reportOf(bench.boot(`n${index}`), 'STARTUP', { host: `n${index}.example` });
    expect(await intake.take(report, '10.0.0.2')).toMatchObject({ reason: 'NODES_LIMIT' });
  }
  expect(asked).toEqual(['known.example']);
  const alive = reportOf(known, 'ALIVE', { host: 'known.example' });
  expect(await intake.take(alive, '10.0.0.1')).toMatchObject({ kind: 'ACCEPTED' });
});

test('configured nodes that repeat themselves do not keep new ones out', async () => {
  const { bench, intake } = setUp({ rate: 2 });
  for (let index = 0; index < 50; index++) {
    await intake.take(reportOf(bench.boot(`n${index}`), 'PROVISIONED'), `10.0.1.${index}`);
  }
  expect((await intake.take(reportOf(bench.boot('new'), 'STARTUP'), '10.0.0.1')).kind).toBe('ACCEPTED');
});

test('the fleet is paced by how many nodes report', async () => {
  const { bench, intake } = setUp({ rate: 2 });
  let outcome = {};
  for (let index = 0; index < 60; index++) {
    outcome = await intake.take(reportOf(bench.boot(`n${index}`), 'PROVISIONED'), `10.0.0.${index}`);
  }
  expect(outcome).toEqual({ kind: 'ACCEPTED', reply: { nextReportMs: 29_500, leaseMs: 88_500 } });
});

test('a source over its own rate is turned away before its report is read', () => {
  const { intake } = setUp({ perSource: 1 });
  expect(intake.turnAway('10.0.0.1')).toBeUndefined();
  expect(intake.turnAway('10.0.0.1')).toMatchObject({ reason: 'SOURCE_RATE_LIMITED', retryAfterMs: 2000 });
  expect(intake.turnAway('10.0.0.2')).toBeUndefined();
});

test('a report counts as answered once, whether it is believed or not, and none that its source is over its rate with', () => {
  const counts = { answered: 0 };
  const { intake } = setUp({ perSource: 1, load: { answered: () => counts.answered++ } });
  for (let report = 0; report < 3; report++) intake.turnAway('10.0.0.1');
  intake.turnAway('10.0.0.2');
  expect(counts.answered).toBe(2);
});

test('a node that is known is told no longer a wait than its lease has room for, however many wait before it', async () => {
  const { bench, intake } = setUp({ rate: 1 });
  const known = bench.boot('a');
  await intake.take(reportOf(known, 'STARTUP'), '10.0.0.1');
  for (let index = 0; index < 200; index++) {
    await intake.take(reportOf(bench.boot(`n${index}`), 'STARTUP'), '10.0.0.2');
  }
  const outcome = await intake.take(reportOf(known, 'ALIVE'), '10.0.0.1');
  expect(outcome).toMatchObject({ reason: 'RATE_LIMITED', retryAfterMs: 10_000 });
  // It may wait as long again; it is then one of those that would be forgotten, and is taken.
  await bench.clock.advance(2 * 10_000);
  expect(await intake.take(reportOf(known, 'ALIVE'), '10.0.0.1')).toMatchObject({ kind: 'ACCEPTED' });
});
