// What must never be in the world, whatever fails: looked for whenever nothing moves, and once more at the end.

import { untold } from './looking-on.js';
import type { WorldNode } from './node.js';
import type { WorldProvisioner } from './provisioner.js';
import type { Story } from './story.js';

export class Invariants {
  readonly #broken = new Set<string>();
  #lookedAtWaits = Number.NEGATIVE_INFINITY;

  /** What was not as it must be at any time, until now. */
  get soFar(): readonly string[] {
    return [...this.#broken];
  }

  /** Records of a fleet agree with one another. */
  lookAtFleet({ life, fleet }: WorldProvisioner): void {
    if (life.isOver) return;
    const { hosts, queued, busyWorkers } = fleet.status;
    if (hosts.QUEUED !== queued) {
      this.#broken.add(`${hosts.QUEUED} hosts are QUEUED, and ${queued} in the queue`);
    }
    if (hosts.RUNNING !== busyWorkers) {
      this.#broken.add(`${hosts.RUNNING} hosts are RUNNING, on ${busyWorkers} workers`);
    }
  }

  /** Whoever asks is told why a node is where it is. Looked at once a second: it takes longer than all else. */
  lookAtWaits(provisioners: readonly WorldProvisioner[], nodes: readonly WorldNode[], now: number): void {
    if (now < this.#lookedAtWaits + 1_000) return;
    this.#lookedAtWaits = now;
    for (const { life, overview } of provisioners) {
      if (life.isOver) continue;
      for (const { identity } of nodes) {
        const account = overview.accounts.of(identity);
        if (account === undefined) continue;
        const isUp = nodes.some((node) => node.identity === identity && node.phase === 'CONFIGURED');
        for (const problem of untold(account, now, isUp)) this.#broken.add(problem);
      }
    }
  }

  /** All that is on a disk belongs together. */
  async lookAtDisk(node: WorldNode): Promise<void> {
    if (!node.diskHasChanged) return;
    const { problems } = await node.onDisk();
    for (const problem of problems) this.#broken.add(`${node.identity}: ${problem}`);
  }

  /**
   * To be asked when no run goes on: then every run has ended, and committed no more than one configuration.
   *
   * @returns what was not as it must be, at any moment
   */
  broken(story: Story, nodes: readonly WorldNode[], provisioners: readonly WorldProvisioner[]): string[] {
    const broken = [...this.#broken, ...story.problems];
    for (const { identity, commits, errors } of nodes) {
      for (const { runId, life, outcome } of story.of(identity).runs) {
        const isUp = provisioners[life - 1]?.life.isOver === false;
        if (outcome === undefined && isUp) broken.push(`${identity}: ${runId} has no end`);
        const digests = new Set(commits.filter((it) => it.runId === runId).map(({ digest }) => digest));
        if (digests.size > 1) broken.push(`${identity}: ${runId} committed ${digests.size} configurations`);
      }
      broken.push(...errors.map((error) => `${identity} logged ${error}`));
    }
    return broken;
  }
}
