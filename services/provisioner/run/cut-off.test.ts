import { describe, expect, it } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { dropped, type Fault, refused, status } from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import { cutOffBy } from './cut-off.js';

const done: Fault = { kind: 'LOSE_REPLY', failure: dropped };
const unanswered: Fault = { kind: 'FAIL', failure: refused };
const always = (fault: Fault): Fault[] => Array.from({ length: 20 }, () => fault);
const refusal = (reason: string): Fault => ({
  kind: 'FAIL',
  failure: status('FAILED_PRECONDITION', { reason, message: 'no' }),
});

describe('a run that configured its node and ends without the restart', () => {
  it('says so, to people and to the next run, where Restart never reached the node', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', ...always(unanswered));
    expect(await bench.run()).toMatchObject({
      outcome: {
        kind: 'FAILED',
        reason: 'RPC_FAILED',
        message: 'configured, but not restarted: UNAVAILABLE: No connection established',
      },
      cutOff: 'CONFIGURED',
    });
  });

  it('likewise where the node refuses to restart', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', refusal('PROVISIONING_ENABLED'));
    expect(await bench.run()).toMatchObject({
      outcome: {
        reason: 'PROVISIONING_ENABLED',
        message: expect.stringMatching(/^configured, but not restarted: /),
      },
      cutOff: 'CONFIGURED',
    });
  });

  it('likewise where another site locks the node', async () => {
    const bench = new RunBench();
    const locked = status('ABORTED', { reason: 'LOCKED', retryAfterMs: 110_000 });
    bench.node.fault('restart', ...always({ kind: 'FAIL', failure: locked }));
    expect(await bench.run()).toMatchObject({
      outcome: { kind: 'FAILED', reason: 'RPC_FAILED', message: expect.stringContaining('configured, but') },
      cutOff: 'CONFIGURED',
      fetched: undefined,
    });
  });

  it('likewise where it is about to stop', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', refusal('STOPPING'));
    expect(await bench.run()).toMatchObject({
      outcome: { kind: 'DEFERRED', by: 'NODE', message: expect.stringContaining('configured, but') },
      cutOff: 'CONFIGURED',
    });
  });

  it('likewise where another provisioner has taken it over', async () => {
    const bench = new RunBench();
    const result = await bench.runAnd('restart', () => {
      bench.node.fence = { value: 2n ** 60n, runId: undefined, idleSeconds: '60' };
    });
    expect(result).toMatchObject({
      outcome: { kind: 'SUPERSEDED', by: 'FENCE', message: expect.stringContaining('configured, but') },
      cutOff: 'CONFIGURED',
      fetched: undefined,
    });
  });

  it('likewise where it rebooted before', async () => {
    const bench = new RunBench();
    const result = await bench.runAnd('restart', () => bench.node.reboot({ configured: false }));
    expect(result).toMatchObject({
      outcome: { kind: 'SUPERSEDED', by: 'BOOT', message: 'the node has rebooted' },
      cutOff: 'CONFIGURED',
    });
  });

  it('tells the next run where nobody knows of the restart', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done);
    bench.node.fault('getRunStatus', ...always(unanswered));
    expect(await bench.run()).toMatchObject({
      outcome: { kind: 'PROVISIONED', unsettled: true },
      cutOff: 'CONFIGURED',
    });
  });

  it('says perhaps where nobody knows of Configure', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', done);
    bench.node.fault('getRunStatus', ...always(unanswered));
    expect(await bench.run()).toMatchObject({
      outcome: {
        kind: 'FAILED',
        reason: 'RPC_FAILED',
        message: 'perhaps configured, and not restarted: UNAVAILABLE: Connection dropped',
      },
      cutOff: 'PERHAPS_CONFIGURED',
    });
  });

  it('says so where a fault of its own ends it', async () => {
    const bench = new RunBench();
    const result = await bench.runAnd('restart', () => {
      throw new Error('a bug');
    });
    expect(result).toMatchObject({
      outcome: { reason: 'RPC_FAILED', message: 'configured, but not restarted: internal error' },
      cutOff: 'CONFIGURED',
    });
  });
});

describe('a run that leaves nothing behind', () => {
  it.each([
    ['is PROVISIONED', () => {}],
    ['cannot send Configure', (bench: RunBench) => bench.node.fault('configure', ...always(unanswered))],
    [
      'is refused at Configure',
      (bench: RunBench) => bench.node.fault('configure', refusal('ARGUMENT_INVALID')),
    ],
    ['fails before', (bench: RunBench) => bench.node.fault('getInventory', ...always(unanswered))],
  ])('is one that %s', async (_name, prepare) => {
    const bench = new RunBench();
    prepare(bench);
    const { outcome, cutOff } = await bench.run();
    expect(cutOff).toBeUndefined();
    expect('message' in outcome ? outcome.message : '').not.toContain('restarted');
  });

  it('is one whose node restarted, unconfigured', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done);
    bench.node.onCall = ({ rpc }) => {
      if (rpc === 'getRunStatus') bench.node.reboot({ configured: false });
    };
    const { outcome, cutOff } = await bench.run();
    expect(outcome).toMatchObject({ reason: 'RESTARTED_UNCONFIGURED' });
    expect(cutOff).toBeUndefined();
    expect(cutOffBy(outcome, 'CONFIGURED')).toBeUndefined();
  });
});

describe('a run after one that was cut off', () => {
  it('warns of it when it begins', async () => {
    const bench = new RunBench();
    const cutOffRun = newRunId();
    expect((await bench.run({ cutOffRun })).outcome.kind).toBe('PROVISIONED');
    expect(bench.warnings).toEqual([expect.stringContaining(cutOffRun)]);
  });

  it('configures the node again, as a whole, and restarts it', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', ...Array.from({ length: 3 }, () => unanswered));
    await bench.run();
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(bench.node.committed).toHaveLength(2);
    expect(bench.node.restarts).toBe(1);
  });
});

describe('a node that restarts by itself after its run was cut off', () => {
  it.each(['configure', 'restart'] as const)('at %s is confirmed', async (rpc) => {
    const bench = new RunBench();
    bench.node.fault(rpc, ...(rpc === 'configure' ? [done] : always(unanswered)));
    bench.node.fault('getRunStatus', ...always(unanswered));
    const { runId, outcome } = await bench.run();
    expect(outcome.kind).toBe('FAILED');
    await bench.clock.advance(3_000_000);
    const { identity } = bench.node;
    const configurationDigest = bench.node.records.get(runId)?.configurationDigest ?? '';
    bench.confirmations.cameUp({ identity, runId, configurationDigest }, false);
    expect(bench.sink.of('NODE_CONFIRMED')).toEqual([
      {
        type: 'NODE_CONFIRMED',
        identity,
        runId,
        configurationDigest,
        onItsOwnWord: false,
        afterMs: 3_000_000,
      },
    ]);
  });
});
