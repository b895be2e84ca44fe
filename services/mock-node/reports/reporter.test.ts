import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../../shared/grpc/errors.js';
import { newBootId, newRunId, parseIdentity } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { FakeRegistry } from '../../../test/fakes/fake-registry.js';
import type { Provisioned } from './report.js';
import { Reporter } from './reporter.js';

const identity = parseIdentity('web-1') ?? fail();

function fail(): never {
  throw new Error('not an identity');
}

let clock: FakeClock;
let registry: FakeRegistry;
let random: number;

beforeEach(() => {
  clock = new FakeClock();
  registry = new FakeRegistry();
  random = 0;
});

function newReporter(provisioned?: Provisioned, upgraded = false, drawn = () => random): Reporter {
  let events = 0;
  return new Reporter({
    registry,
    facts: { identity, bootId: newBootId(), version: '1.0', host: '', port: 7430 },
    provisioned,
    upgraded,
    newEventId: () => `event-${++events}`,
    clock,
    random: drawn,
    log: silentLogger(),
  });
}

describe('a node that waits', () => {
  test('reports STARTUP and then ALIVE at the pace it is told', async () => {
    newReporter().start();
    await clock.advance(9_999);
    expect(registry.types).toEqual(['STARTUP']);
    await clock.advance(1);
    registry.answer = () => 3_000;
    await clock.advance(13_000);
    expect(registry.types).toEqual(['STARTUP', 'ALIVE', 'ALIVE', 'ALIVE']);
    expect(registry.reports.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(new Set(registry.reports.map(({ eventId }) => eventId)).size).toBe(4);
  });

  test('reports UPGRADED instead of STARTUP where its release was replaced', async () => {
    newReporter(undefined, true).start();
    await clock.advance(20_000);
    expect(registry.types).toEqual(['UPGRADED', 'ALIVE', 'ALIVE']);
  });

  test('is heard again where a stop that was announced does not come', async () => {
    const reporter = newReporter();
    reporter.start();
    await clock.advance(0);
    reporter.announceStop();
    await clock.advance(30_000);
    reporter.goOn();
    await clock.advance(10_000);
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN', 'ALIVE', 'ALIVE']);
    expect(registry.reports.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  test('waits a little longer than told, but never less', async () => {
    random = 0.999;
    newReporter().start();
    await clock.advance(10_900);
    expect(registry.types).toEqual(['STARTUP']);
    await clock.advance(100);
    expect(registry.types).toEqual(['STARTUP', 'ALIVE']);
  });

  test('keeps a pace within reason whatever it is told', async () => {
    registry.answer = () => 0;
    newReporter().start();
    await clock.advance(1_000);
    expect(registry.reports.length).toBeLessThanOrEqual(11);
  });
});

describe('a node that came up configured', () => {
  const provisioned: Provisioned = { runId: newRunId(), configurationDigest: 'ab'.repeat(32) };

  test('repeats PROVISIONED as the same event for ten minutes', async () => {
    newReporter(provisioned).start();
    await clock.advance(3_600_000);
    expect(new Set(registry.types)).toEqual(new Set(['PROVISIONED']));
    expect(registry.reports).toHaveLength(61);
    expect(new Set(registry.reports.map(({ eventId }) => eventId))).toEqual(new Set(['event-1']));
    expect(registry.reports.map(({ sequence }) => sequence)).toEqual(
      registry.reports.map((_, index) => index + 1),
    );
    expect(registry.last.provisioned).toEqual(provisioned);
  });

  test('counts the ten minutes from when it was first heard', async () => {
    registry.answer = () => {
      throw new RpcError(status.UNAVAILABLE, 'away');
    };
    newReporter(provisioned).start();
    await clock.advance(3_600_000);
    registry.answer = () => 10_000;
    registry.reports.length = 0;
    await clock.advance(3_600_000);
    expect(registry.reports).toHaveLength(61);
  });
});

describe('while discovery is away', () => {
  beforeEach(() => {
    registry.answer = () => {
      throw new RpcError(status.UNAVAILABLE, 'away');
    };
  });

  test('the same report is tried again, with pauses that grow to a minute, for ever', async () => {
    random = 0.5;
    newReporter().start();
    await clock.advance(550 + 1_100 + 2_200 + 4_400);
    expect(registry.types).toEqual(Array(5).fill('STARTUP'));
    expect(new Set(registry.reports.map(({ sequence }) => sequence))).toEqual(new Set([1]));
    await clock.advance(24 * 3_600_000);
    const before = registry.reports.length;
    expect(before).toBeGreaterThan((24 * 60) / 0.6);
    expect(before).toBeLessThan((24 * 60) / 0.5);
    registry.answer = () => 10_000;
    await clock.advance(33_000 + 11_000);
    expect(registry.types.slice(before, before + 2)).toEqual(['STARTUP', 'ALIVE']);
  });
});

test('a node that starts a little before discovery is heard soon after it is there', async () => {
  random = 0.999;
  registry.answer = () => {
    throw new RpcError(status.UNAVAILABLE, 'away');
  };
  newReporter().start();
  await clock.advance(1_500);
  registry.answer = () => 10_000;
  const before = registry.reports.length;
  await clock.advance(1_500);
  expect(registry.types.slice(before)).toEqual(['STARTUP']);
});

test('a node that was told its pace tries no more seldom than that', async () => {
  random = 0.999;
  newReporter().start();
  await clock.advance(0);
  registry.answer = () => {
    throw new RpcError(status.UNAVAILABLE, 'away');
  };
  await clock.advance(600_000);
  const before = registry.reports.length;
  await clock.advance(100_000);
  expect(registry.reports.length - before).toBe(10);
});

test('a fleet that discovery left alone does not come back as one', async () => {
  const fleet = 1_000;
  const comebacks = Array.from({ length: fleet }, (_, index) => {
    const failing = new FakeRegistry();
    failing.answer = () => {
      throw new RpcError(status.UNAVAILABLE, 'away');
    };
    registry = failing;
    let seed = index + 1;
    newReporter(undefined, false, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    }).start();
    return failing;
  });
  await clock.advance(600_000);
  for (const each of comebacks) each.reports.length = 0;
  const inTime: number[] = [];
  for (let second = 0; second < 60; second++) {
    const before = comebacks.filter(({ reports }) => reports.length > 0).length;
    await clock.advance(1_000);
    inTime.push(comebacks.filter(({ reports }) => reports.length > 0).length - before);
  }
  expect(inTime.reduce((sum, count) => sum + count, 0)).toBe(fleet);
  expect(Math.max(...inTime)).toBeLessThan(fleet / 10);
});

test('a report over the rate comes back after what it was told, with full jitter', async () => {
  registry.answer = () => {
    throw new RpcError(status.RESOURCE_EXHAUSTED, 'over the rate', { retryAfterMs: 2_000 });
  };
  random = 0.75;
  newReporter().start();
  await clock.advance(3_499);
  expect(registry.reports).toHaveLength(1);
  await clock.advance(1);
  expect(registry.reports).toHaveLength(2);
  expect(registry.last.sequence).toBe(1);
});

test('a wait without reason is cut to an hour', async () => {
  registry.answer = () => {
    throw new RpcError(status.RESOURCE_EXHAUSTED, 'over the rate', { retryAfterMs: 10 ** 12 });
  };
  newReporter().start();
  await clock.advance(3_600_000);
  expect(registry.reports).toHaveLength(2);
});

test('a report that was refused is said anew, as the same event', async () => {
  registry.answer = ({ sequence }) => {
    if (sequence < 3) throw new RpcError(status.FAILED_PRECONDITION, 'sequence too low');
    return 10_000;
  };
  newReporter().start();
  await clock.advance(2_000);
  expect(registry.reports.map(({ type, sequence, eventId }) => [type, sequence, eventId])).toEqual([
    ['STARTUP', 1, 'event-1'],
    ['STARTUP', 2, 'event-1'],
    ['STARTUP', 3, 'event-1'],
  ]);
});
