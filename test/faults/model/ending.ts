// How a trial must end: once everything is well again, every machine that is there comes up configured and is
// confirmed, and nobody is remembered for longer than need be.

import type { WorldNode } from '../world/node.js';
import { type Trial, times } from './trial.js';

/**
 * The longest that a helper has a node wait, then two more runs that fail for what happened before, with the pauses
 * that follow: milliseconds.
 */
const longestMs = 300_000 + 2 * times.backoffMaxMs + 10 * times.intervalMs;

/** By then no hold, pause, lease or confirmation is left: milliseconds. */
const afterwardsMs = times.backoffMaxMs + 5 * times.intervalMs;

const lookEveryMs = 5_000;

/** @throws Error with what is not so, and the story of the site */
export async function mustEndWell(trial: Trial): Promise<void> {
  await trial.makePeace();
  const { world, watch } = trial;
  const before = world.story.events.length;
  for (let passed = 0; ; passed += lookEveryMs) {
    const waiting = await unconfirmed(trial);
    if (waiting.length === 0) break;
    if (passed >= longestMs) {
      watch.complain(
        waiting.map((node) => `${node.identity} (${node.address}) is ${node.phase}, not confirmed`),
      );
    }
    await world.advance(lookEveryMs);
  }
  await world.advance(afterwardsMs);
  await watch.check();
  watch.complain([...(await leftovers(trial)), ...missedSince(trial, before)]);
}

async function unconfirmed({ live, world }: Trial): Promise<WorldNode[]> {
  const waiting: WorldNode[] = [];
  for (const node of live) {
    const { confirmations } = world.story.of(node.identity);
    const isUp = node.phase === 'CONFIGURED';
    const { runId, confirmed } = isUp ? await node.onDisk() : { runId: '', confirmed: false };
    if (!(confirmed && confirmations.some((told) => told.runId === runId))) waiting.push(node);
  }
  return waiting;
}

/** Runs that began after so many events, and whose node was not seen to come up. */
function missedSince({ world }: Trial, before: number): string[] {
  const events = world.story.events.slice(before);
  const began = new Set(events.flatMap((event) => (event.type === 'RUN_STARTED' ? [event.runId] : [])));
  return events.flatMap((event) =>
    event.type === 'CONFIRMATION_MISSED' && began.has(event.runId)
      ? [`${event.identity}: ${event.runId} is not confirmed`]
      : [],
  );
}

async function leftovers(trial: Trial): Promise<string[]> {
  const { world } = trial;
  const problems: string[] = [];
  for (const [index, { life, fleet, pendingConfirmations }] of world.provisioners.entries()) {
    if (life.isOver) continue;
    const hosts = Object.entries(fleet.status.hosts).filter(([, count]) => count > 0);
    for (const [state, count] of hosts)
      problems.push(`${count} hosts are still ${state} (life ${index + 1})`);
    if (pendingConfirmations > 0) problems.push(`${pendingConfirmations} confirmations are still waited for`);
  }
  for (const node of await unconfirmed(trial)) {
    problems.push(`${node.identity} (${node.address}) is ${node.phase} again`);
  }
  return problems;
}
