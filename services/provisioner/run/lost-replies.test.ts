import { describe, expect, it } from 'vitest';
import {
  anotherCertificate,
  dropped,
  type FakeRpc,
  type Fault,
  refused,
  status,
  tooLate,
} from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import type { CallFailure } from './node.js';

/** Ways in which nobody learns what became of a call. */
const losses: readonly (readonly [string, CallFailure])[] = [
  ['UNAVAILABLE', dropped],
  ['DEADLINE_EXCEEDED', tooLate],
  ['INTERNAL', status('INTERNAL')],
  ['UNKNOWN', status('UNKNOWN')],
  ['CANCELLED', status('CANCELLED')],
  ['RESOURCE_EXHAUSTED', status('RESOURCE_EXHAUSTED')],
  ['a reply that is junk', { kind: 'REPLY_INVALID', message: 'junk' }],
  ['a reply that is too large', { kind: 'REPLY_TOO_LARGE', message: '2 MiB' }],
];

const undone = (failure: CallFailure): Fault => ({ kind: 'FAIL', failure });
const done = (failure: CallFailure): Fault => ({ kind: 'LOSE_REPLY', failure });
const always = (fault: Fault): Fault[] => Array.from({ length: 20 }, () => fault);

/** A bench whose node is changed when it is first asked what became of a call. */
function whenAsked(bench: RunBench, change: () => void): void {
  let asked = false;
  bench.node.onCall = ({ rpc }) => {
    if (rpc !== 'getRunStatus' || asked) return;
    asked = true;
    change();
  };
}

function shutdownBench(): RunBench {
  const bench = new RunBench();
  bench.helper.replies({ shutdown: true, msg: 'retired' });
  return bench;
}

function rpcs(bench: RunBench): FakeRpc[] {
  return bench.node.calls.map((call) => call.rpc).slice(2);
}

describe('Configure whose reply was lost', () => {
  it.each(losses)('after the commit, with %s: is not sent again', async (_name, failure) => {
    const bench = new RunBench();
    bench.node.fault('configure', done(failure));
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(rpcs(bench)).toEqual(['configure', 'getRunStatus', 'restart']);
    expect(bench.node.committed).toHaveLength(1);
  });

  it.each([
    ['UNAVAILABLE', dropped],
    ['DEADLINE_EXCEEDED', tooLate],
    ['INTERNAL', status('INTERNAL')],
  ])('before the commit, with %s: is asked about, then sent again', async (_name, failure) => {
    const bench = new RunBench();
    bench.node.fault('configure', undone(failure));
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(rpcs(bench)).toEqual(['configure', 'getRunStatus', 'configure', 'restart']);
    expect(bench.node.committed).toHaveLength(1);
  });

  it.each(['STALE_FENCE', 'LOCKED'])(
    'leaves nothing fetched where the node is found to be in other hands: %s',
    async (reason) => {
      const bench = new RunBench();
      bench.node.fault('configure', undone(dropped));
      bench.node.fault('getRunStatus', ...always(undone(status('ABORTED', { reason }))));
      const { outcome, fetched } = await bench.run();
      expect(outcome.kind).toBe(reason === 'LOCKED' ? 'FAILED' : 'SUPERSEDED');
      expect(fetched).toBeUndefined();
    },
  );

  it('is sent again without asking where the connection was never made', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', undone(refused));
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(rpcs(bench)).toEqual(['configure', 'configure', 'restart']);
  });

  it('before the commit, with a final status: is asked about and not sent again', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', undone(status('PERMISSION_DENIED', { message: 'by a proxy' })));
    expect((await bench.run()).outcome).toEqual({
      kind: 'FAILED',
      reason: 'RPC_FAILED',
      message: 'PERMISSION_DENIED: by a proxy',
    });
    expect(rpcs(bench)).toEqual(['configure', 'getRunStatus']);
  });

  it('is asked about until the node answers again', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', done(tooLate));
    bench.node.fault('getRunStatus', undone(refused), undone(dropped), undone(tooLate));
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(rpcs(bench).filter((rpc) => rpc === 'configure')).toHaveLength(1);
    expect(bench.sink.of('STEP_FAILED').at(-1)?.message).toContain('GetRunStatus');
  });

  it.each(losses)(
    'with %s: fails the run as RPC_FAILED where nobody answers any more',
    async (_name, failure) => {
      const bench = new RunBench();
      bench.node.fault('configure', done(failure));
      bench.node.fault('getRunStatus', ...always(undone(refused)));
      expect((await bench.run()).outcome).toMatchObject({
        kind: 'FAILED',
        reason: 'RPC_FAILED',
        message: expect.stringContaining(failure.message),
      });
      expect(bench.node.count('restart')).toBe(0);
    },
  );

  it('fails the run at once where the node cannot say', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', done(dropped));
    bench.node.fault('getRunStatus', undone(status('UNIMPLEMENTED')));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'RPC_FAILED' });
    expect(bench.node.count('getRunStatus')).toBe(1);
  });

  it('on the last try is asked about once more', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', ...Array.from({ length: 4 }, () => undone(dropped)), done(dropped));
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.count('configure')).toBe(5);
    expect(bench.node.count('getRunStatus')).toBe(5);
  });

  it('fails the run where the node committed something else', async () => {
    const bench = new RunBench();
    bench.node.digestOverride = 'cd'.repeat(32);
    bench.node.fault('configure', done(dropped));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'REPLY_INVALID' });
    expect(bench.node.restarts).toBe(0);
  });

  it('supersedes the run where the node has rebooted into provisioning mode', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', undone(dropped));
    whenAsked(bench, () => bench.node.reboot());
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });

  it('ends PROVISIONED where the node has rebooted and come up with what was sent', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', done(dropped));
    whenAsked(bench, () => bench.node.reboot());
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(bench.node.restarts).toBe(0);
  });

  it('supersedes the run where another provisioner has taken the node over', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', done(dropped));
    whenAsked(bench, () => {
      bench.node.fence = { value: 2n ** 60n, runId: undefined, idleSeconds: '60' };
    });
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
  });
});

describe('Restart whose reply was lost', () => {
  it.each(losses)('after it was accepted, with %s: is not sent again', async (_name, failure) => {
    const bench = new RunBench();
    bench.node.fault('restart', done(failure));
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(rpcs(bench)).toEqual(['configure', 'restart', 'getRunStatus']);
  });

  it('before it was accepted: is asked about, then sent again', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', undone(tooLate), undone(dropped));
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(rpcs(bench)).toEqual([
      'configure',
      'restart',
      'getRunStatus',
      'restart',
      'getRunStatus',
      'restart',
    ]);
    expect(bench.node.restarts).toBe(1);
  });

  it('ends PROVISIONED where the node is up again, configured', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done(dropped));
    whenAsked(bench, () => bench.node.reboot());
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
  });

  it('fails where the node is up again in provisioning mode', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done(dropped));
    whenAsked(bench, () => bench.node.reboot({ configured: false }));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'RESTARTED_UNCONFIGURED' });
  });

  it('ends PROVISIONED where another boot answers and then no more', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done(dropped));
    whenAsked(bench, () => {
      bench.node.reboot();
      bench.node.fault('identify', undone(refused));
    });
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
  });

  it('ends PROVISIONED, unsettled, where the node is gone', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done(dropped));
    whenAsked(bench, () => {
      bench.node.gone = true;
    });
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: true });
    expect(bench.node.count('getRunStatus')).toBe(2);
  });

  it('ends PROVISIONED, unsettled, where another machine answers at the address', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done(dropped));
    const failure = status('FAILED_PRECONDITION', { reason: 'IDENTITY_MISMATCH' });
    bench.node.fault('getRunStatus', undone(failure));
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: true });
  });

  it('fails where the node answers and never accepts it', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', ...always(undone(status('INTERNAL', { message: 'no init' }))));
    expect((await bench.run()).outcome).toEqual({
      kind: 'FAILED',
      reason: 'RPC_FAILED',
      message: 'configured, but not restarted: INTERNAL: no init',
    });
    expect(bench.node.count('restart')).toBe(3);
    expect(bench.node.count('getRunStatus')).toBe(3);
  });

  it('fails where it never left', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', ...always(undone(refused)));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'RPC_FAILED' });
    expect(bench.node.count('restart')).toBe(3);
  });
});

describe('a node that reboots between Configure and Restart', () => {
  it('ends PROVISIONED where it came up with what was sent', async () => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd('restart', () => bench.node.reboot());
    expect(outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
  });

  it('supersedes the run where it is in provisioning mode', async () => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd('restart', () => bench.node.reboot({ configured: false }));
    expect(outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });
});

describe('Shutdown whose reply was lost', () => {
  it.each(losses)('after it was accepted, with %s: is not sent again', async (_name, failure) => {
    const bench = shutdownBench();
    bench.node.fault('shutdown', done(failure));
    expect((await bench.run()).outcome).toEqual({ kind: 'SHUT_DOWN', message: 'retired' });
    expect(rpcs(bench)).toEqual(['shutdown', 'getRunStatus']);
    expect(bench.warnings).toEqual([]);
  });

  it('before it was accepted: is asked about, then sent again', async () => {
    const bench = shutdownBench();
    bench.node.fault('shutdown', undone(dropped));
    expect((await bench.run()).outcome.kind).toBe('SHUT_DOWN');
    expect(rpcs(bench)).toEqual(['shutdown', 'getRunStatus', 'shutdown']);
  });

  it('ends SHUT_DOWN where the node is gone', async () => {
    const bench = shutdownBench();
    bench.node.fault('shutdown', done(dropped));
    whenAsked(bench, () => {
      bench.node.gone = true;
    });
    expect((await bench.run()).outcome.kind).toBe('SHUT_DOWN');
  });

  it('supersedes the run where the node has rebooted', async () => {
    const bench = shutdownBench();
    bench.node.fault('shutdown', done(dropped));
    whenAsked(bench, () => bench.node.reboot());
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });

  it('ends SHUT_DOWN with a warning where the node answers and never accepts it', async () => {
    const bench = shutdownBench();
    bench.node.fault('shutdown', ...always(undone(status('INTERNAL'))));
    expect((await bench.run()).outcome.kind).toBe('SHUT_DOWN');
    expect(bench.node.count('shutdown')).toBe(3);
    expect(bench.warnings).toEqual([expect.stringContaining('refused to shut down')]);
  });
});

describe('another certificate at the address of the node', () => {
  const another: Fault = { kind: 'FAIL', failure: anotherCertificate };

  it('is another boot: at Identify the run is superseded, without another try', async () => {
    const bench = new RunBench();
    bench.node.fault('identify', another);
    expect((await bench.run()).outcome).toMatchObject({
      kind: 'SUPERSEDED',
      by: 'BOOT',
      message: expect.stringContaining('another certificate'),
    });
    expect(bench.node.calls).toHaveLength(1);
    expect(bench.story).toEqual(['IDENTIFY UNAVAILABLE']);
  });

  it('supersedes a run that has not configured it', async () => {
    const bench = new RunBench();
    bench.node.fault('getInventory', another);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });

  it('at Configure supersedes the run: it was not restarted into what was sent', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', another);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
    expect(rpcs(bench)).toEqual(['configure']);
  });

  it('after a Configure whose reply was lost supersedes the run', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', done(dropped));
    bench.node.fault('getRunStatus', another);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });

  it('after Restart was sent means that it restarts', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', done(dropped));
    bench.node.fault('getRunStatus', another);
    expect((await bench.run()).outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(rpcs(bench)).toEqual(['configure', 'restart', 'getRunStatus']);
  });

  it('before Restart was sent supersedes the run', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', another);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });

  it('after Shutdown supersedes the run: what answers was not told to stop', async () => {
    const bench = shutdownBench();
    bench.node.fault('shutdown', done(dropped));
    bench.node.fault('getRunStatus', another);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });
});
