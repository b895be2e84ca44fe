import { describe, expect, it } from 'vitest';
import {
  anotherCertificate,
  dropped,
  type Fault,
  refused,
  status,
  tooLate,
} from '../../../test/fakes/fake-node-agent.js';
import { type RunBench, upgradeBench } from '../../../test/fakes/run-bench.js';
import type { CallFailure } from './node.js';

const upgraded = { kind: 'UPGRADED', from: '1.0.0', to: '2.0.0' };
const undone = (failure: CallFailure): Fault => ({ kind: 'FAIL', failure });
const done = (failure: CallFailure): Fault => ({ kind: 'LOSE_REPLY', failure });
const always = (fault: Fault): Fault[] => Array.from({ length: 20 }, () => fault);

function rpcs(bench: RunBench) {
  return bench.node.calls.map((call) => call.rpc).slice(2);
}

/** Whatever is optional, a node that may be upgrading is not configured. */
describe.each([false, true])('UpdateRelease whose reply was lost (optional: %s)', (optional) => {
  const options = { upgrades: { optional } };

  it.each<[string, CallFailure]>([
    ['UNAVAILABLE', dropped],
    ['DEADLINE_EXCEEDED', tooLate],
    ['INTERNAL', status('INTERNAL')],
    ['a reply that is too large', { kind: 'REPLY_TOO_LARGE', message: '2 MiB' }],
  ])('after it was done, with %s: is settled, and not sent again', async (_name, failure) => {
    const bench = upgradeBench(options);
    bench.node.fault('updateRelease', done(failure));
    expect((await bench.run()).outcome).toEqual(upgraded);
    expect(rpcs(bench)).toEqual(['updateRelease', 'getRunStatus']);
    expect(bench.warnings).toEqual([]);
  });

  it('while the node is at it: joins it', async () => {
    const bench = upgradeBench(options);
    bench.node.upgradeGoesOn = true;
    bench.node.fault('updateRelease', done(tooLate));
    const run = bench.start();
    await bench.clock.advance(400);
    bench.node.upgradeGoesOn = false;
    expect((await bench.finish(run)).outcome).toEqual(upgraded);
    expect(rpcs(bench)).toEqual(['updateRelease', 'getRunStatus', 'updateRelease']);
    expect(bench.node.upgrades).toHaveLength(1);
  });

  it('while the node is at it, longer than all tries: is taken for upgraded', async () => {
    const bench = upgradeBench(options);
    bench.node.upgradeGoesOn = true;
    bench.node.fault('updateRelease', ...always(done(tooLate)));
    expect((await bench.run()).outcome).toEqual(upgraded);
    expect(bench.node.count('updateRelease')).toBe(3);
  });

  it.each(['a boot that answers', 'a certificate'])('and %s other than before: is upgraded', async (what) => {
    const bench = upgradeBench(options);
    bench.node.fault('updateRelease', done(dropped));
    if (what === 'a certificate') bench.node.fault('getRunStatus', undone(anotherCertificate));
    bench.node.onCall = ({ rpc }) => {
      if (rpc === 'getRunStatus' && bench.node.count(rpc) === 1) bench.node.reboot();
    };
    expect((await bench.run()).outcome).toEqual(upgraded);
  });

  it('and nobody answers any more: is taken for upgraded', async () => {
    const bench = upgradeBench(options);
    bench.node.fault('updateRelease', done(dropped));
    bench.node.fault('getRunStatus', ...always(undone(refused)));
    expect((await bench.run()).outcome).toEqual({ ...upgraded, unsettled: true });
    expect(bench.node.count('updateRelease')).toBe(1);
  });

  it('and another boot was sighted: is upgraded', async () => {
    const bench = upgradeBench(options);
    bench.node.fault('updateRelease', done(dropped));
    const { outcome } = await bench.runAnd('updateRelease', (run) => {
      bench.node.onCall = undefined;
      run.interrupt('SUPERSEDED');
    });
    expect(outcome).toEqual(upgraded);
  });

  it('and the run is to end: is settled first', async () => {
    const bench = upgradeBench(options);
    bench.node.fault('updateRelease', done(dropped));
    expect((await bench.runAnd('updateRelease', (run) => run.interrupt('PAUSED'))).outcome).toEqual(upgraded);
  });

  it('before it was begun, and the run is to end: is not begun any more', async () => {
    const bench = upgradeBench(options);
    bench.node.fault('updateRelease', undone(dropped));
    const { outcome } = await bench.runAnd('updateRelease', (run) => run.interrupt('PAUSED'));
    expect(outcome).toEqual({ kind: 'CANCELLED', cause: 'PAUSED' });
    expect(bench.node.upgrades).toEqual([]);
    expect(bench.node.committed).toEqual([]);
  });

  it('and the node is in the hands of another provisioner: is superseded', async () => {
    const bench = upgradeBench(options);
    bench.node.fault('updateRelease', done(dropped));
    bench.node.fault('getRunStatus', undone(status('ABORTED', { reason: 'STALE_FENCE' })));
    expect((await bench.run()).outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'FENCE' });
  });
});
