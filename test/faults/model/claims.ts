// What a provisioner tells of its nodes, held against what is on their disks.

import type { RunRecord } from '../../../services/mock-node/state/node-state.js';
import type { ProvisioningEvent } from '../../../services/provisioner/events/event.js';
import type { World } from '../world/world.js';

interface Claim {
  readonly identity: string;
  readonly runId: string;
  readonly says: 'PROVISIONED' | 'CONFIRMED';
}

export class Claims {
  readonly problems: string[] = [];
  readonly #world: World;
  #open: Claim[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  take(event: ProvisioningEvent): void {
    if (event.type === 'NODE_CONFIRMED') {
      this.#open.push({ identity: event.identity, runId: event.runId, says: 'CONFIRMED' });
    }
    if (event.type !== 'RUN_FINISHED' || event.outcome !== 'PROVISIONED') return;
    if (event.message.includes('not settled')) return;
    const { runs } = this.#world.story.of(event.identity);
    // A run of a host that is provisioned already asks nothing of the node.
    if (runs.find(({ runId }) => runId === event.runId)?.steps.length === 0) return;
    this.#open.push({ identity: event.identity, runId: event.runId, says: 'PROVISIONED' });
  }

  /** Looks at the disks; what is on one that is down is looked at the next time. */
  async check(): Promise<void> {
    const open = this.#open;
    this.#open = [];
    for (const claim of open) {
      const records = await this.#recordsOf(claim);
      if (records === undefined) this.#open.push(claim);
      else if (!records.some((record) => bearsOut(record, claim))) {
        const found = records.map(({ stage }) => stage).join(', ') || 'nothing';
        this.problems.push(`${claim.identity}: ${claim.runId} is told ${claim.says}; on disk is ${found}`);
      }
    }
  }

  /** What the machines of the name know of the run; undefined while one cannot be asked. */
  async #recordsOf({ identity, runId }: Claim): Promise<RunRecord[] | undefined> {
    const records: RunRecord[] = [];
    for (const machine of this.#world.nodes.filter((it) => it.identity === identity)) {
      if (machine.phase === 'DOWN') return undefined;
      const { runs } = await machine.onDisk();
      records.push(...runs.filter((record) => record.runId === runId));
    }
    return records;
  }
}

function bearsOut({ stage, configurationDigest }: RunRecord, { says }: Claim): boolean {
  return says === 'CONFIRMED' ? stage === 'CONFIRMED' : configurationDigest !== '';
}
