// A helper that fails for every node, in a site in one process: what happens in the whole provisioner, one step after
// the other. Where that is a matter of the fleet or the run alone it is tested there.

import { expect, test } from 'vitest';
import { World } from '../world/world.js';

const names = Array.from({ length: 12 }, (_, index) => `n${index}.example.net`);

/** A site whose helper fails for every node while it says so. */
async function siteWith(helper: { fails: boolean }) {
  const world = await World.open({ settings: { workers: 4, helperBreaker: 3 } });
  world.faults.choose = ({ door }) => (door === 'Helper' && helper.fails ? [{ kind: 'LOSE_REQUEST' }] : []);
  const nodes = names.map((name) => world.addNode(name));
  for (const node of nodes) node.start();
  const events = (type: string) => world.story.events.filter((event) => event.type === type);
  const outcomes = () =>
    world.story.events.flatMap((event) => (event.type === 'RUN_FINISHED' ? [event.outcome] : []));
  return { world, nodes, events, outcomes };
}

test('no node fails while the helper fails for all, and all are configured within seconds when it is mended', async () => {
  const helper = { fails: true };
  const { world, nodes, events, outcomes } = await siteWith(helper);
  await world.until(() => events('BREAKER_OPENED').length > 0, 10_000);
  await world.advance(300_000);
  expect(outcomes().filter((outcome) => outcome === 'FAILED')).toHaveLength(2);
  const failedBefore = outcomes().length;
  expect(world.provisioner?.overview.status().breaker).toMatchObject({ reason: 'HELPER_EXIT', open: {} });
  expect(world.provisioner?.fleet.status.hosts).toMatchObject({ QUEUED: 12, BACKING_OFF: 0, HELD: 0 });

  helper.fails = false;
  await world.until(() => nodes.every((node) => world.confirmed(node)), 30_000);
  expect(
    outcomes()
      .slice(failedBefore)
      .filter((outcome) => outcome === 'FAILED'),
  ).toEqual([]);
  expect(events('BREAKER_CLOSED')).toHaveLength(1);
  expect(nodes.map(({ commits }) => commits.length)).toEqual(nodes.map(() => 1));
  expect(await world.problems()).toEqual([]);
});

test('a pause, a crash and a restart of the provisioner while it is open are survived', async () => {
  const helper = { fails: true };
  const { world, nodes, events } = await siteWith(helper);
  const opened = (times: number) =>
    world.until(() => events('BREAKER_OPENED').length === times, 120_000, `opened ${times} times`);
  await opened(1);
  world.pause();
  await world.advance(30_000);
  const paused = events('RUN_STARTED').length;
  await world.advance(60_000);
  expect(events('RUN_STARTED')).toHaveLength(paused);
  world.resume();
  await world.advance(30_000);
  expect(events('RUN_STARTED').length).toBeGreaterThan(paused);

  world.crashProvisioner();
  await opened(2);
  await world.restartProvisioner();
  await opened(3);
  helper.fails = false;
  await world.until(() => nodes.every((node) => world.confirmed(node)), 120_000);
  expect(await world.problems()).toEqual([]);
});
