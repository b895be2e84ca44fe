// The nodes of a swarm and what each plays: what its persona asks of the parts that it concerns.

import type { Random } from '../../../shared/random.js';
import type { Agent } from '../agent/agent.js';
import type { ServedAgent } from '../agent/served-agent.js';
import type { Effect, FaultedRpc } from '../faults/fault.js';
import { Faults } from '../faults/faults.js';
import type { Files } from '../state/files.js';
import type { Part } from './assignment.js';
import { disguised } from './disguise.js';
import { enablingWhenRead } from './lasting-provisioning.js';
import { type Connections, type PersonaName, personaNames } from './persona.js';

/** How a node behaves; what is undefined is as with all nodes. */
export interface Behaviour {
  readonly release: string | undefined;
  readonly upgradable: boolean | undefined;
  /** Milliseconds, on average; undefined: never. */
  readonly crashesEveryMs: number | undefined;
  readonly disguise: (agent: Agent) => ServedAgent;
  /** @returns the disk as the node finds it */
  readonly onDisk: (files: Files) => Files;
}

export class Cast {
  readonly #parts: readonly Part[];
  readonly #faults = new Map<number, Faults>();

  /** @param parts undefined where all nodes are healthy */
  constructor(parts: readonly Part[] | undefined, random: Random) {
    this.#parts = parts ?? [];
    for (const [index, { persona }] of this.#parts.entries()) {
      if (persona.faults.length > 0) this.#faults.set(index, new Faults({ random }, persona.faults));
    }
  }

  /** @returns what the node of this index plays; undefined where all nodes are healthy */
  part(index: number): Part | undefined {
    return this.#parts[index];
  }

  /** How many nodes there are of each persona; undefined where all are healthy. */
  get counts(): Readonly<Record<PersonaName, number>> | undefined {
    if (this.#parts.length === 0) return undefined;
    const counts = Object.fromEntries(personaNames.map((name) => [name, 0])) as Record<PersonaName, number>;
    for (const { persona } of this.#parts) counts[persona.name]++;
    return counts;
  }

  /** What becomes of connections to the node. */
  connectionsOf(index: number): Connections {
    return this.#parts[index]?.persona.connections ?? 'SERVED';
  }

  /** Called once for each call to the node. @returns what befalls it, beside what is ordered for all */
  strike(index: number, rpc: FaultedRpc): readonly Effect[] {
    return this.#faults.get(index)?.strike('', rpc) ?? [];
  }

  behaviourOf(index: number): Behaviour {
    const persona = this.#parts[index]?.persona;
    if (persona === undefined) return usual;
    const { release, upgradable, crashesEveryMs, provisioningMode } = persona;
    return {
      release,
      upgradable,
      crashesEveryMs,
      disguise: (agent) => disguised(agent, persona),
      onDisk: provisioningMode === 'COMES_BACK' ? enablingWhenRead : usual.onDisk,
    };
  }
}

const usual: Behaviour = {
  release: undefined,
  upgradable: undefined,
  crashesEveryMs: undefined,
  disguise: (agent) => agent,
  onDisk: (files) => files,
};
