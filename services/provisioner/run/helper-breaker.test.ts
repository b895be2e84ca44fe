// What a run does while the helper fails for every node: whose runs start is the fleet's matter.

import { describe, expect, it } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { helperReply } from '../../../test/fakes/fake-helper.js';
import { status } from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import { HelperError } from '../helper/helper.js';

const failure = { kind: 'FAILED', reason: 'HELPER_EXIT', message: 'exit code 3' } as const;
const givenBack = { kind: 'CANCELLED', cause: 'BREAKER' };

/** The helper fails for other nodes until that counts for all. */
function open({ breaker }: RunBench): void {
  for (let time = 0; breaker.standing.open === undefined; time++) {
    if (time > 100) throw new Error('it does not open');
    breaker.failed(newRunId(), failure);
  }
}

function failing(bench: RunBench): void {
  bench.helper.answer = async () => {
    throw new HelperError(failure.reason, failure.message);
  };
}

describe('a run whose helper fails', () => {
  it('has failed where the helper did not fail often in a row', async () => {
    const bench = new RunBench({ breakerLimit: 2 });
    failing(bench);
    expect((await bench.run()).outcome).toEqual(failure);
    expect(bench.breaker.standing).toMatchObject({ failuresInRow: 1, open: undefined });
  });

  it('is given back where it opens the breaker, and says all the same what was wrong', async () => {
    const bench = new RunBench({ breakerLimit: 1 });
    failing(bench);
    expect(await bench.run()).toMatchObject({ outcome: givenBack, lastStep: 'HELPER' });
    expect(bench.story.at(-1)).toBe('HELPER HELPER_EXIT');
    expect(bench.sink.types.slice(-2)).toEqual(['STEP_FAILED', 'BREAKER_OPENED']);
  });

  it('is given back as the probe that it was', async () => {
    const bench = new RunBench({ breakerLimit: 1 });
    open(bench);
    await bench.clock.advance(1_000);
    failing(bench);
    const run = bench.start();
    bench.breaker.started(run.runId);
    expect((await bench.finish(run)).outcome).toEqual({ ...givenBack, probe: true });
  });

  it('does not count where it was stopped for another reason', async () => {
    const bench = new RunBench();
    bench.helper.answer = (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const run = bench.start();
    await bench.clock.advance(1_000);
    run.interrupt('STOPPING');
    await bench.finish(run);
    expect(bench.breaker.standing.failuresInRow).toBe(0);
  });
});

describe('a usable reply', () => {
  it.each([{}, { defer: true }, { shutdown: true }, { configuration: new Map() }])(
    'closes the breaker, whatever it says: %o',
    async (reply) => {
      const bench = new RunBench({ breakerLimit: 1 });
      open(bench);
      await bench.clock.advance(1_000);
      bench.helper.replies(reply);
      const run = bench.start();
      bench.breaker.started(run.runId);
      const { outcome } = await bench.finish(run);
      expect(outcome).not.toEqual(givenBack);
      expect(bench.breaker.standing).toMatchObject({ failuresInRow: 0, open: undefined });
    },
  );
});

describe('a run that is told that the helper fails', () => {
  it.each(['identify', 'getInventory'] as const)('stops at %s', async (rpc) => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd(rpc, (run) => run.interrupt('BREAKER'));
    expect(outcome).toEqual(givenBack);
    expect(bench.helper.asked).toEqual([]);
  });

  it('stops where it waits for the helper', async () => {
    const bench = new RunBench();
    bench.helper.answer = (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const run = bench.start();
    await bench.clock.advance(1_000);
    run.interrupt('BREAKER');
    expect((await bench.finish(run)).outcome).toEqual(givenBack);
    expect(bench.breaker.standing.failuresInRow).toBe(0);
  });

  it('goes on where it has its reply', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true });
    bench.node.fault('shutdown', { kind: 'FAIL', failure: status('UNAVAILABLE', {}) });
    const { outcome } = await bench.runAnd('shutdown', (run) => run.interrupt('BREAKER'));
    expect(outcome.kind).toBe('SHUT_DOWN');
  });

  it('goes on past its point of no return', async () => {
    const bench = new RunBench();
    const { outcome } = await bench.runAnd('configure', (run) => run.interrupt('BREAKER'));
    expect(outcome.kind).toBe('PROVISIONED');
  });

  it('can still be stopped for another reason', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true });
    bench.node.fault('shutdown', { kind: 'FAIL', failure: status('UNAVAILABLE', {}) });
    const { outcome } = await bench.runAnd('shutdown', (run) => {
      run.interrupt('BREAKER');
      run.interrupt('PAUSED');
    });
    expect(outcome).toEqual({ kind: 'CANCELLED', cause: 'PAUSED' });
  });
});

describe('a run that starts over while the helper fails', () => {
  const keyChanged = {
    kind: 'FAIL',
    failure: status('FAILED_PRECONDITION', { reason: 'KEY_CHANGED' }),
  } as const;

  it('does not ask again', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', keyChanged);
    const { outcome } = await bench.runAnd('configure', () => open(bench));
    expect(outcome).toEqual(givenBack);
    expect(bench.helper.asked).toHaveLength(1);
  });

  it('is stopped while it asks again', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', keyChanged);
    const run = bench.start();
    bench.helper.answer = async (signal) => {
      if (bench.helper.asked.length === 1) return helperReply();
      return await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        run.interrupt('BREAKER');
      });
    };
    expect((await bench.finish(run)).outcome).toEqual(givenBack);
    expect(bench.helper.asked).toHaveLength(2);
  });
});
