import { beforeEach, describe, expect, test } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { settle } from '../../../test/fakes/fake-clock.js';
import { agentOf, NodeBench } from '../../../test/fakes/node-bench.js';
import { readNodeState } from '../state/read-node-state.js';
import type { Node } from './node.js';

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

describe('a crash', () => {
  test('is not reported, cuts the connections, and the next boot comes up from what is on the disk', async () => {
    const node = bench.newNode();
    await node.start();
    await bench.clock.advance(0);
    const crashed = agentOf(node).identify().bootId;
    const runId = newRunId();
    await bench.configure(node, runId);
    node.crash();
    expect(node.agent).toBeUndefined();
    expect(bench.cuts).toEqual([0]);
    await bench.clock.advance(99);
    expect([node.phase, bench.released]).toEqual(['DOWN', 1]);
    await bench.clock.advance(1);
    expect(node.phase).toBe('CONFIGURED');
    expect(agentOf(node).identify().bootId).not.toBe(crashed);
    await bench.clock.advance(0);
    expect(bench.registry.types).toEqual(['STARTUP', 'PROVISIONED']);
  });

  test('overtakes a stop that is pending: the node boots again, also where it was to stop for good', async () => {
    const node = bench.newNode();
    await node.start();
    const runId = newRunId();
    await agentOf(node).shutdown(bench.callTo(node, runId));
    node.crash(50);
    expect(bench.cuts).toEqual([50]);
    await bench.clock.advance(10_000);
    expect(node.phase).toBe('PROVISIONING');
  });

  test('of a node that is down changes nothing, and a node that crashed can be ended', async () => {
    const node = bench.newNode();
    node.crash();
    expect(node.phase).toBe('STOPPED');
    await node.start();
    node.crash();
    node.crash();
    expect(bench.cuts).toEqual([0]);
    await node.end(0);
    await bench.clock.advance(10_000);
    expect(node.phase).toBe('STOPPED');
  });
});

test('a stop that is accepted while the node crashes is not announced by the boot after it', async () => {
  const node = bench.newNode();
  await node.start();
  await bench.clock.advance(0);
  let release = () => {};
  bench.files.beforeWrite = () => new Promise((resolve) => (release = resolve));
  bench.files.beforeSync = () => Promise.resolve();
  const stopping = agentOf(node).shutdown(bench.callTo(node, newRunId()));
  await settle();
  const { agent } = node;
  bench.files.beforeWrite = async () => {};
  let synced = () => {};
  bench.files.beforeSync = () => new Promise((resolve) => (synced = resolve));
  release();
  await settle();
  node.crash();
  expect(agent).not.toBe(node.agent);
  bench.files.beforeSync = async () => {};
  synced();
  await stopping;
  await bench.clock.advance(10);
  expect(node.phase).toBe('DOWN');
  await bench.clock.advance(200);
  expect(node.phase).toBe('PROVISIONING');
});

describe('the next boot has the disk only when the one that crashed has let go of it:', () => {
  const release = { repository: 'https://releases.example.net', version: '2.0' };

  /** Crashes once something there is to be written or synced, which goes on long after the next boot was due. */
  async function crashAt(
    isThere: (path: string) => boolean,
    act: (node: Node) => Promise<unknown>,
  ): Promise<Node> {
    const node = bench.newNode();
    await node.start();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const reached = new Promise<void>((resolve) => {
      bench.files.beforeWrite = bench.files.beforeSync = (path) => {
        if (!isThere(path)) return Promise.resolve();
        resolve();
        return held;
      };
    });
    const acting = act(node).catch((error) => error);
    await bench.clock.advance(1_000);
    await reached;
    node.crash();
    await bench.clock.advance(5_000);
    expect([node.phase, bench.opened]).toEqual(['DOWN', 1]);
    goOn();
    await acting;
    await bench.clock.advance(0);
    expect(bench.opened).toBe(2);
    expect((await readNodeState(bench.directory, bench.files)).problems).toEqual([]);
    return node;
  }

  test.each([
    ['stages', /staging-1\/0$/, 'PROVISIONING'],
    ['is about to commit', /manifest\.json\.new$/, 'PROVISIONING'],
    ['has committed', /\/state$/, 'CONFIGURED'],
  ] as const)('while it %s a configuration', async (_what, at, phase) => {
    const node = await crashAt(
      (path) => at.test(path),
      (of) => bench.configure(of, newRunId()),
    );
    expect(node.phase).toBe(phase);
  });

  test('while it writes that an upgrade is done', async () => {
    let writes = 0;
    const secondWrite = (path: string) => path.endsWith('.new') && ++writes === 2;
    const upgrade = (of: Node) => agentOf(of).updateRelease(bench.callTo(of, newRunId()), release);
    const node = await crashAt(secondWrite, upgrade);
    expect(agentOf(node).identify()).toMatchObject({ version: '2.0', provisioning: true });
    expect(bench.registry.last).toMatchObject({ type: 'UPGRADED', version: '2.0' });
  });
});

describe('a node that flaps', () => {
  const mean = 5_000;
  /** Crashes when the time that it has on average is over. */
  const random = () => 1 - Math.exp(-1);

  test('crashes without a word and boots again, until it came up configured', async () => {
    const node = bench.newNode({ crashesEveryMs: mean, random, downMs: 0 });
    await node.start();
    await bench.clock.advance(0);
    const boots = new Set([agentOf(node).identify().bootId]);
    for (let crash = 1; crash <= 3; crash++) {
      await bench.clock.advance(mean - 1);
      boots.add(agentOf(node).identify().bootId);
      expect([boots.size, bench.cuts.length]).toEqual([crash, crash - 1]);
      await bench.clock.advance(1);
      boots.add(agentOf(node).identify().bootId);
    }
    expect(boots.size).toBe(4);
    expect(new Set(bench.registry.types)).toEqual(new Set(['STARTUP']));
    await bench.configure(node, newRunId());
    await bench.clock.advance(mean);
    expect(node.phase).toBe('CONFIGURED');
    await bench.clock.advance(10 * mean);
    expect(bench.cuts).toHaveLength(4);
  });

  test('has a span of its own in each boot', async () => {
    const draws = [0.1, 0.5, 0.9];
    const node = bench.newNode({
      crashesEveryMs: mean,
      downMs: 0,
      random: () => draws[bench.cuts.length] ?? 0.999,
    });
    await node.start();
    for (const [crash, draw] of draws.entries()) {
      await bench.clock.advance(-Math.log(1 - draw) * mean + 1);
      expect(bench.cuts).toHaveLength(crash + 1);
    }
  });
});
