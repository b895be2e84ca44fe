import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../../shared/grpc/errors.js';
import { newBootId, parseIdentity } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { FakeRegistry } from '../../../test/fakes/fake-registry.js';
import { Reporter } from './reporter.js';

const identity = parseIdentity('web-1') ?? fail();

function fail(): never {
  throw new Error('not an identity');
}

let clock: FakeClock;
let registry: FakeRegistry;
let reporter: Reporter;

beforeEach(() => {
  clock = new FakeClock();
  registry = new FakeRegistry();
  reporter = new Reporter({
    registry,
    facts: { identity, bootId: newBootId(), version: '1.0', host: '', port: 7430 },
    provisioned: undefined,
    upgraded: false,
    newEventId: randomUUID,
    clock,
    random: () => 0,
    log: silentLogger(),
  });
});

describe('a node with a stop pending', () => {
  test('reports SHUTDOWN at once and nothing more', async () => {
    reporter.start();
    await clock.advance(5_000);
    reporter.announceStop();
    await clock.advance(60_000);
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
    expect(registry.last.sequence).toBe(2);
  });

  test('says nothing where discovery cannot know of it', async () => {
    registry.answer = () => {
      throw new RpcError(status.UNAVAILABLE, 'away', { neverConnected: true });
    };
    reporter.start();
    await clock.advance(10);
    reporter.announceStop();
    await clock.advance(60_000);
    expect(registry.types).toEqual(['STARTUP']);
  });

  test('reports it where an earlier report may have arrived, though its reply did not', async () => {
    registry.answer = () => {
      throw new RpcError(status.DEADLINE_EXCEEDED, 'no reply');
    };
    reporter.start();
    await clock.advance(10);
    registry.answer = () => 10_000;
    reporter.announceStop();
    await clock.advance(60_000);
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
  });

  test('does not wait for a report that hangs', async () => {
    registry.answer = (_report, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    reporter.start();
    await clock.advance(1_000);
    registry.answer = () => 10_000;
    reporter.announceStop();
    await clock.advance(0);
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
  });
});

describe('closing', () => {
  test('lets a report under way get through', async () => {
    let arrive: (paceMs: number) => void = () => {};
    registry.answer = () =>
      new Promise((resolve) => {
        arrive = resolve;
      });
    reporter.start();
    await clock.advance(0);
    let closed = false;
    const closing = reporter.close(1_000).then(() => {
      closed = true;
    });
    await clock.advance(500);
    expect(closed).toBe(false);
    arrive(10_000);
    await closing;
    expect(clock.pendingTimers).toBe(0);
  });

  test('lets one through that cut off another', async () => {
    registry.answer = (_report, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    reporter.start();
    await clock.advance(0);
    let arrive: (paceMs: number) => void = () => {};
    let cutOff = false;
    registry.answer = (_report, signal) =>
      new Promise((resolve) => {
        arrive = resolve;
        signal.addEventListener('abort', () => {
          cutOff = true;
        });
      });
    reporter.announceStop();
    await clock.advance(100);
    const closing = reporter.close(1_000);
    await clock.advance(500);
    expect(cutOff).toBe(false);
    arrive(10_000);
    await closing;
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
  });

  test('cuts it off when its time is over', async () => {
    registry.answer = (_report, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    reporter.start();
    await clock.advance(0);
    const closing = reporter.close(1_000);
    await clock.advance(1_000);
    await closing;
  });

  test('does not wait for another try', async () => {
    registry.answer = () => {
      throw new RpcError(status.UNAVAILABLE, 'away');
    };
    reporter.start();
    await clock.advance(10);
    await reporter.close(1_000);
    expect(clock.pendingTimers).toBe(0);
  });

  test('makes no other try after one under way that fails', async () => {
    let fail: () => void = () => {};
    registry.answer = () =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new RpcError(status.UNAVAILABLE, 'away'));
      });
    reporter.start();
    await clock.advance(0);
    const closing = reporter.close(1_000);
    fail();
    await closing;
    expect(registry.reports).toHaveLength(1);
  });
});
