import { expect, test } from 'vitest';
import { World } from '../world/world.js';

test('a node that boots is provisioned and confirmed', async () => {
  const world = await World.open();
  const node = world.addNode('n1.example.net');
  node.start();
  await world.until(() => world.confirmed(node), 60_000);
  expect(node.commits).toHaveLength(1);
  expect(world.story.of(node.identity).runs.map(({ outcome }) => outcome)).toEqual(['PROVISIONED']);
});
