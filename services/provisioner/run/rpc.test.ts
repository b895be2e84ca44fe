import { describe, expect, it } from 'vitest';
import { dropped, refused, status, tooLate } from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import type { CallFailure } from './node.js';

const fail = (failure: CallFailure) => ({ kind: 'FAIL', failure }) as const;
const locked = (retryAfterMs?: number) =>
  status('ABORTED', { reason: 'LOCKED', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

describe('a failed call', () => {
  it.each([
    ['UNAVAILABLE', dropped],
    ['a connection that was never made', refused],
    ['DEADLINE_EXCEEDED', tooLate],
    ['UNKNOWN', status('UNKNOWN')],
    ['INTERNAL', status('INTERNAL')],
    ['RESOURCE_EXHAUSTED with RetryInfo', status('RESOURCE_EXHAUSTED', { retryAfterMs: 100 })],
    ['ABORTED · LOCKED', locked()],
  ])('is tried again after %s', async (_name, failure) => {
    const bench = new RunBench();
    bench.node.fault('getInventory', fail(failure));
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.count('getInventory')).toBe(2);
    expect(bench.sink.of('STEP_FAILED')).toMatchObject([
      { step: 'GET_INVENTORY', attempt: 1, willRetry: true },
    ]);
    expect(bench.sink.of('STEP_COMPLETED')).toContainEqual(
      expect.objectContaining({ step: 'GET_INVENTORY', tries: 2 }),
    );
  });

  it.each([
    ['CANCELLED', status('CANCELLED'), 'RPC_FAILED'],
    ['INVALID_ARGUMENT', status('INVALID_ARGUMENT'), 'RPC_FAILED'],
    ['NOT_FOUND', status('NOT_FOUND'), 'RPC_FAILED'],
    ['PERMISSION_DENIED', status('PERMISSION_DENIED'), 'RPC_FAILED'],
    ['UNIMPLEMENTED', status('UNIMPLEMENTED'), 'RPC_FAILED'],
    ['DATA_LOSS', status('DATA_LOSS'), 'RPC_FAILED'],
    ['UNAUTHENTICATED', status('UNAUTHENTICATED'), 'RPC_FAILED'],
    ['ABORTED of an unknown kind', status('ABORTED'), 'RPC_FAILED'],
    ['RESOURCE_EXHAUSTED without RetryInfo', status('RESOURCE_EXHAUSTED'), 'MESSAGE_TOO_LARGE'],
    ['a reply that is too large', { kind: 'REPLY_TOO_LARGE', message: '2 MiB' }, 'MESSAGE_TOO_LARGE'],
    ['junk', { kind: 'REPLY_INVALID', message: 'junk' }, 'REPLY_INVALID'],
    [
      'IDENTITY_MISMATCH',
      status('FAILED_PRECONDITION', { reason: 'IDENTITY_MISMATCH' }),
      'IDENTITY_MISMATCH',
    ],
    ['NOT_PROVISIONING', status('FAILED_PRECONDITION', { reason: 'NOT_PROVISIONING' }), 'NOT_PROVISIONING'],
  ] satisfies [string, CallFailure, string][])(
    'ends the run at once after %s',
    async (_name, failure, reason) => {
      const bench = new RunBench();
      bench.node.fault('getInventory', fail(failure));
      expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason });
      expect(bench.node.count('getInventory')).toBe(1);
      expect(bench.sink.of('STEP_FAILED')).toMatchObject([{ attempt: 1, willRetry: false }]);
    },
  );

  it('waits longer from try to try: 0.5 s growing to 5 s', async () => {
    const bench = new RunBench();
    const at: number[] = [];
    bench.node.onCall = ({ rpc }) => {
      if (rpc === 'getInventory') at.push(bench.clock.monotonic());
    };
    bench.node.fault('getInventory', ...Array.from({ length: 5 }, () => fail(dropped)));
    await bench.run();
    expect(at.map((time) => time - (at[0] ?? 0))).toEqual([0, 500, 1_500, 3_500, 7_000]);
  });

  it('reports the last error', async () => {
    const bench = new RunBench();
    const failures = [dropped, dropped, tooLate, dropped, status('INTERNAL', { message: 'disk full' })];
    bench.node.fault('getInventory', ...failures.map(fail));
    const { outcome } = await bench.run();
    expect(outcome).toEqual({ kind: 'FAILED', reason: 'RPC_FAILED', message: 'INTERNAL: disk full' });
    expect(bench.sink.of('STEP_FAILED').map((event) => event.willRetry)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('gives each attempt rpc_timeout', async () => {
    const bench = new RunBench();
    bench.node.fault('getInventory', ...Array.from({ length: 5 }, () => ({ kind: 'HANG' }) as const));
    const { outcome, durationMs } = await bench.run();
    expect(outcome).toMatchObject({ reason: 'RPC_FAILED', message: expect.stringContaining('DEADLINE') });
    expect(durationMs).toBe(5 * 10_000 + 7_000);
    expect(bench.sink.of('STEP_FAILED').map((event) => event.durationMs)).toEqual(
      Array.from({ length: 5 }, () => 10_000),
    );
  });
});

describe('RetryInfo', () => {
  it('is waited for up to 5 s', async () => {
    const bench = new RunBench();
    bench.node.fault('getInventory', fail(status('RESOURCE_EXHAUSTED', { retryAfterMs: 5_000 })));
    const { durationMs, outcome } = await bench.run();
    expect(outcome.kind).toBe('PROVISIONED');
    expect(durationMs).toBe(5_000);
  });

  it('over 5 s defers the run', async () => {
    const bench = new RunBench();
    bench.node.fault('getInventory', fail(status('RESOURCE_EXHAUSTED', { retryAfterMs: 5_001 })));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'DEFERRED', retryAfterMs: 5_001 });
  });

  it('over 5 s defers a run at Configure once it is known that nothing was committed', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', fail(status('RESOURCE_EXHAUSTED', { retryAfterMs: 60_000 })));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'DEFERRED', retryAfterMs: 60_000 });
    expect(bench.node.count('getRunStatus')).toBe(1);
  });

  it('over 5 s does not leave a configured node without its restart', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', fail(status('RESOURCE_EXHAUSTED', { retryAfterMs: 60_000 })));
    const { outcome, durationMs } = await bench.run();
    expect(outcome.kind).toBe('PROVISIONED');
    expect(bench.node.restarts).toBe(1);
    expect(durationMs).toBe(5_000);
  });
});

describe('a node that another site holds', () => {
  it('is waited for no longer than 5 s', async () => {
    const bench = new RunBench();
    bench.node.fault('getInventory', ...Array.from({ length: 9 }, () => fail(locked())));
    const { outcome, durationMs, fetched } = await bench.run();
    expect(outcome).toMatchObject({ kind: 'FAILED', reason: 'RPC_FAILED' });
    expect(durationMs).toBeLessThanOrEqual(7_500);
    expect(fetched).toBeUndefined();
  });

  it('is left to it for as long as it says', async () => {
    const bench = new RunBench();
    bench.node.fault('getInventory', fail(locked(110_000)));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'DEFERRED', retryAfterMs: 110_000 });
  });
});

describe('STOPPING', () => {
  it.each(['getInventory', 'configure', 'restart'] as const)('at %s defers the run', async (rpc) => {
    const bench = new RunBench();
    bench.node.fault(rpc, fail(status('FAILED_PRECONDITION', { reason: 'STOPPING' })));
    expect((await bench.run()).outcome).toMatchObject({
      kind: 'DEFERRED',
      by: 'NODE',
      retryAfterMs: undefined,
    });
  });
});

describe('a provisioning secret that is being changed', () => {
  it('is found in the list, and stays found', async () => {
    const bench = new RunBench({ tokens: ['new', 'old', 'older'] });
    bench.node.secret = 'old';
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.calls.map(({ rpc, caller }) => [rpc, caller?.secret?.reveal()])).toEqual([
      ['identify', undefined],
      ['getInventory', 'new'],
      ['getInventory', 'old'],
      ['configure', 'old'],
      ['restart', 'old'],
    ]);
  });

  it('fails the run where no secret of the list fits', async () => {
    const bench = new RunBench({ tokens: ['new', 'old'] });
    bench.node.secret = 'another';
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'PROOF_INVALID' });
    expect(bench.node.count('getInventory')).toBe(2);
  });

  it('is found, too, when the first call that needs it asks about a lost reply', async () => {
    const bench = new RunBench({ tokens: ['new', 'old'] });
    bench.node.secret = 'old';
    const inventory = { value: bench.node.inventory, fetchedAt: bench.clock.monotonic() };
    const fetched = { bootId: bench.node.bootId, certificateSha256: '', inventory };
    bench.node.fault('configure', fail(dropped));
    expect((await bench.run({ fetched })).outcome.kind).toBe('PROVISIONED');
  });

  it('is not needed by nodes of a site that has none', async () => {
    const bench = new RunBench({ tokens: [] });
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
  });
});

describe('another boot', () => {
  it.each(['getInventory', 'configure'] as const)('at %s supersedes the run', async (rpc) => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd(rpc, () => bench.node.reboot());
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
    expect(bench.node.committed).toEqual([]);
  });

  it('at Shutdown supersedes the run', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true, msg: 'retired' });
    const { outcome } = await bench.runAnd('shutdown', () => bench.node.reboot());
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });
});
