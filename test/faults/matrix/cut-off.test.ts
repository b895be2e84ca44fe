// A node that is cut off between Configure and Restart: a later run restarts it, and says so.

import { describe, expect, it } from 'vitest';
import type { Door, Fault } from '../world/faults.js';
import { World, type WorldOptions } from '../world/world.js';

const loseRequest: Fault = { kind: 'LOSE_REQUEST' };

/** A node whose first run meets with these faults at each call of a door. */
async function cutOffWorld(faults: Partial<Record<Door, Fault>>, options: WorldOptions = {}) {
  const world = await World.open(options);
  const node = world.addNode('n1.example.net');
  const { runs, confirmations } = world.story.of(node.identity);
  world.faults.choose = ({ door }) => {
    const fault = runs.length === 1 && runs[0]?.outcome === undefined ? faults[door] : undefined;
    return fault === undefined ? [] : [fault];
  };
  node.start();
  await world.until(() => runs[0]?.outcome !== undefined, 300_000);
  return { world, node, runs, confirmations };
}

const restartLost = { Restart: loseRequest };

describe('a node that is cut off between Configure and Restart', () => {
  it.each([
    ['with credentials, which are made anew', {}],
    ['with the very configuration that waits already', { jwt: false, ed25519: false }],
  ])('is configured again and restarted by a later run: %s', async (_name, features) => {
    const { world, runs, confirmations } = await cutOffWorld(restartLost, { features });
    expect(runs[0]).toMatchObject({
      outcome: 'FAILED',
      reason: 'RPC_FAILED',
      message: expect.stringMatching(/^configured, but not restarted: /),
    });
    await world.until(() => confirmations.length > 0, 300_000);
    expect(confirmations).toMatchObject([{ runId: runs[1]?.runId, onItsOwnWord: false }]);
    expect(runs.slice(1)).toMatchObject([
      {
        outcome: 'PROVISIONED',
        message: `run ${runs[0]?.runId} had configured it and could not restart it`,
      },
    ]);
    expect(world.warnings).toContainEqual(expect.stringContaining(`run ${runs[0]?.runId} sent this node`));
    expect(await world.problems()).toEqual([]);
  });

  it('is so too where nobody knows of Configure', async () => {
    const { world, node, runs } = await cutOffWorld({
      Configure: { kind: 'LOSE_REPLY' },
      GetRunStatus: loseRequest,
    });
    expect(runs[0]?.message).toMatch(/^perhaps configured, and not restarted: /);
    await world.until(() => world.confirmed(node), 300_000);
    expect(runs.at(-1)?.message).toBe(
      `run ${runs[0]?.runId} had perhaps configured it and could not restart it`,
    );
  });

  it('is so too where nobody knows of Restart', async () => {
    const { world, node, runs } = await cutOffWorld({ Restart: loseRequest, GetRunStatus: loseRequest });
    expect(runs[0]).toMatchObject({
      outcome: 'PROVISIONED',
      message: expect.stringContaining('not settled'),
    });
    await world.until(() => world.confirmed(node), 600_000);
    expect(runs.at(-1)?.message).toBe(`run ${runs[0]?.runId} had configured it and could not restart it`);
    expect(await world.problems()).toEqual([]);
  });

  it('is confirmed for the run that was cut off where it restarts by itself', async () => {
    const { world, node, runs, confirmations } = await cutOffWorld(restartLost);
    node.reboot();
    await world.until(() => world.confirmed(node), 60_000);
    expect(confirmations).toMatchObject([{ runId: runs[0]?.runId, onItsOwnWord: false }]);
    await world.advance(600_000);
    expect(runs).toHaveLength(1);
    expect(await world.problems()).toEqual([]);
  });

  it('is provisioned by another life of the provisioner, which does not know', async () => {
    const { world, node, runs } = await cutOffWorld(restartLost);
    world.crashProvisioner();
    await world.until(() => world.confirmed(node), 300_000);
    expect(runs.at(-1)).toMatchObject({ outcome: 'PROVISIONED', message: '', life: 2 });
  });
});
