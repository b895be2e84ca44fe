import { beforeEach, describe, expect, test } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { agentOf, NodeBench } from '../../../test/fakes/node-bench.js';

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

describe('an upgrade', () => {
  const release = { repository: 'https://releases.example.net', version: '2.0' };

  test('is announced at once, and the next boot reports that it is done', async () => {
    const node = bench.newNode();
    await node.start();
    await bench.clock.advance(0);
    const upgrading = agentOf(node).updateRelease(bench.callTo(node, newRunId()), release);
    await bench.clock.advance(20_000);
    await upgrading;
    expect(bench.registry.types.slice(0, 4)).toEqual(['STARTUP', 'SHUTDOWN', 'UPGRADED', 'ALIVE']);
    expect(bench.registry.reports.map(({ version }) => version).slice(0, 4)).toEqual([
      '1.0',
      '1.0',
      '2.0',
      '2.0',
    ]);
    expect(bench.registry.reports[2]?.sequence).toBe(1);
    expect(agentOf(node).identify()).toMatchObject({ version: '2.0', provisioning: true });
    expect(bench.phases).toEqual(['DOWN', 'PROVISIONING', 'STOPPING', 'DOWN', 'PROVISIONING']);
    await node.end(1_000);
    await bench.newNode().start();
    await bench.clock.advance(0);
    expect(bench.registry.last).toMatchObject({ type: 'STARTUP', version: '2.0' });
  });

  test('that fails leaves the node waiting, and discovery hears of it again', async () => {
    const node = bench.newNode();
    await node.start();
    await bench.clock.advance(0);
    const upgrading = agentOf(node)
      .updateRelease(bench.callTo(node, newRunId()), release)
      .catch((error) => error.message);
    await bench.clock.advance(500);
    bench.files.beforeWrite = () => {
      bench.files.beforeWrite = async () => {};
      return Promise.reject(new Error('no space left'));
    };
    await bench.clock.advance(600);
    expect(await upgrading).toBe('no space left');
    expect(node.phase).toBe('PROVISIONING');
    expect(bench.registry.types).toEqual(['STARTUP', 'SHUTDOWN', 'ALIVE']);
    await bench.clock.advance(10_000);
    expect(bench.registry.types.at(-1)).toBe('ALIVE');
  });

  test('that a crash cuts off has failed, and the node says nothing of it', async () => {
    const node = bench.newNode();
    await node.start();
    await bench.clock.advance(0);
    const run = newRunId();
    const upgrading = agentOf(node)
      .updateRelease(bench.callTo(node, run), release)
      .catch((error) => error.name);
    await bench.clock.advance(500);
    node.crash();
    await bench.clock.advance(200);
    expect(await upgrading).toBe('DownError');
    expect(bench.registry.types).toEqual(['STARTUP', 'SHUTDOWN', 'STARTUP']);
    expect(bench.registry.last.version).toBe('1.0');
    expect(await agentOf(node).getRunStatus(bench.callTo(node, run), run)).toMatchObject({ stage: 'FAILED' });
  });
});
