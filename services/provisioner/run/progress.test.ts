// Runs of which somebody looks on while they go on.

import { describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { status } from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import type { RunProgress } from './progress.js';

/** What a run was at, by its own word, at every call to its node and in the end. */
async function lookingOn(bench: RunBench): Promise<[string, RunProgress][]> {
  const seen: [string, RunProgress][] = [];
  const look = (at: string) => {
    const { step, wait, trouble } = run.progress;
    seen.push([at, { step, wait, trouble }]);
  };
  bench.node.onCall = ({ rpc }) => look(rpc);
  const run = bench.start();
  look('start');
  await bench.finish(run);
  look('end');
  return seen;
}

describe('a run', () => {
  it('says at each call which step it is at and until when it waits for the reply', async () => {
    const seen = await lookingOn(new RunBench());
    expect(seen[0]).toEqual(['start', { step: undefined, wait: undefined, trouble: undefined }]);
    const calls = seen.slice(1, -1).map(([rpc, { step, wait }]) => {
      const limit =
        wait?.kind === 'REPLY' ? [wait.rpc, wait.attempt, wait.tries, wait.until - wait.since] : [];
      return [rpc, step, ...limit];
    });
    expect(calls).toEqual([
      ['identify', 'IDENTIFY', 'Identify', 1, 1, 2_000],
      ['getInventory', 'GET_INVENTORY', 'GetInventory', 1, 5, 10_000],
      ['configure', 'CONFIGURE', 'Configure', 1, 5, 10_000],
      ['restart', 'RESTART', 'Restart', 1, 3, 10_000],
    ]);
    expect(seen.at(-1)).toEqual(['end', { step: 'RESTART', wait: undefined, trouble: undefined }]);
  });

  it('says that it waits for a place for the helper, and then for the helper', async () => {
    const bench = new RunBench();
    let start = () => {};
    const { answer } = bench.helper;
    bench.helper.answer = async (signal, { onStart }) => {
      await new Promise<void>((resolve) => (start = resolve));
      onStart?.();
      await new Promise<void>((resolve) => bench.clock.setTimer(3_000, resolve));
      return answer(signal, {});
    };
    const run = bench.start();
    await bench.clock.advance(100);
    expect(run.progress).toMatchObject({ step: 'HELPER', wait: { kind: 'HELPER_SLOT' } });
    await bench.clock.advance(60_000);
    start();
    await settle();
    expect(run.progress.wait).toEqual({ kind: 'HELPER', since: bench.clock.monotonic() });
    await bench.finish(run);
  });

  it('says what signs and cannot, from the first moment on', async () => {
    const bench = new RunBench({
      features: { jwt: false, ed25519: true },
      enrolment: {
        signing: {
          current: async () => ({ kind: 'UNUSABLE', setting: 'jwt_signing_key', why: '/key: is gone' }),
        },
      },
    });
    const run = bench.start();
    await bench.clock.advance(100);
    const since = bench.clock.monotonic();
    await bench.clock.advance(30_000);
    expect(run.progress).toMatchObject({ step: 'CREDENTIALS', wait: { kind: 'CREDENTIALS' } });
    const { wait } = run.progress;
    expect(wait?.kind === 'CREDENTIALS' && wait.why).toBe('jwt_signing_key /key: is gone');
    expect(wait?.since).toBeLessThanOrEqual(since);
    run.interrupt('STOPPING');
    expect((await bench.finish(run)).lastStep).toBe('CREDENTIALS');
  });

  it('says what went wrong before, and when it tries again', async () => {
    const bench = new RunBench();
    const asked: string[] = [];
    bench.node.fault('getInventory', { kind: 'FAIL', failure: status('UNAVAILABLE') });
    bench.node.onCall = ({ rpc }) => asked.push(rpc);
    const run = bench.start();
    await settle();
    await bench.clock.advance(1);
    expect(asked).toEqual(['identify', 'getInventory']);
    const { step, wait, trouble } = run.progress;
    expect(step).toBe('GET_INVENTORY');
    expect(wait).toMatchObject({ kind: 'RETRY', attempt: 2, tries: 5 });
    expect(trouble).toMatchObject({ code: 'UNAVAILABLE' });
    await bench.finish(run);
  });
});
