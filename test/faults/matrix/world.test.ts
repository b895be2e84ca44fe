import { expect, test } from 'vitest';
import { World } from '../world/world.js';

test('a node that boots is provisioned and confirmed', async () => {
  const world = await World.open();
  const node = world.addNode('n1.example.net');
  node.start();
  await world.until(() => world.confirmed(node), 60_000);
  const { runs, confirmations } = world.story.of(node.identity);
  expect(runs.map(({ outcome }) => outcome)).toEqual(['PROVISIONED']);
  expect(confirmations).toMatchObject([{ runId: runs[0]?.runId, onItsOwnWord: false }]);
  expect(node.commits).toEqual([{ runId: runs[0]?.runId, digest: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  expect(await world.problems()).toEqual([]);
});

test('a node whose power is cut, at whatever change to its disk, boots from it and is provisioned', async () => {
  const changes = await changesOfProvisioning();
  expect(changes).toBeGreaterThan(10);
  for (let change = 1; change <= changes; change++) {
    const world = await World.open();
    const node = world.addNode('n1.example.net');
    node.cutPowerAt(change);
    node.start();
    await world.until(() => world.confirmed(node), 600_000, `confirmed after a cut at ${change}`);
    expect(node.crashes).toBe(1);
    expect(await world.problems(), `cut at ${change}`).toEqual([]);
  }
});

async function changesOfProvisioning(): Promise<number> {
  const world = await World.open();
  const node = world.addNode('n1.example.net');
  node.start();
  await world.until(() => world.confirmed(node), 60_000);
  return node.files.operations;
}

test('a pause outlives the provisioner, and what it kept out comes in at once when it ends', async () => {
  const world = await World.open();
  const node = world.addNode('n1.example.net');
  world.pause();
  world.crashProvisioner();
  node.start();
  await world.advance(300_000);
  expect(world.story.of(node.identity).runs).toEqual([]);
  world.resume();
  await world.until(() => world.confirmed(node), 10_000);
});

test('a provisioner that is told to stop ends its run, and its successor provisions the node', async () => {
  const world = await World.open();
  const node = world.addNode('n1.example.net');
  const act = () => void world.restartProvisioner();
  world.faults.at(node.identity, 'GetInventory', 1, { kind: 'DO', when: 'DONE', act });
  node.start();
  await world.until(() => world.confirmed(node), 60_000);
  const { runs } = world.story.of(node.identity);
  expect(runs.map(({ outcome, life }) => [outcome, life])).toEqual([
    ['CANCELLED', 1],
    ['PROVISIONED', 2],
  ]);
});

test('nodes that come at once are each provisioned once', async () => {
  const world = await World.open({ settings: { workers: 2 } });
  const nodes = Array.from({ length: 20 }, (_, index) => world.addNode(`n${index}.example.net`));
  for (const node of nodes) node.start();
  await world.until(() => nodes.every((node) => world.confirmed(node)), 300_000);
  expect(nodes.map((node) => node.commits.length)).toEqual(nodes.map(() => 1));
  expect(await world.problems()).toEqual([]);
});
