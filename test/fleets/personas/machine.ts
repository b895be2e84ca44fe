// The machines of a swarm with personas: who each is, and what it has on its disk.

import { join } from 'node:path';
import type { Stack } from '../../../cli/launch/stack.js';
import { personasOf } from '../../../services/mock-node/personas/assignment.js';
import type { Persona } from '../../../services/mock-node/personas/persona.js';
import { parseWeights } from '../../../services/mock-node/personas/weights.js';
import { type NodeOnDisk, readNodeState } from '../../../services/mock-node/state/read-node-state.js';
import { loopbackHost } from '../../../services/mock-node/swarm/names.js';

export const weights = 'healthy=70,slow=10,dead=8,flapping=5,looping=3,cloned=2,lying=2';

export interface Machine {
  /** The machine's own, and that of its folder. */
  readonly name: string;
  /** As whom it speaks: two clones have one. */
  readonly identity: string;
  readonly persona: Persona;
  readonly address: string;
  readonly disk: NodeOnDisk;
}

/** Those that are to be in service in the end, whatever befalls them. */
export function isToSettle({ persona: { name } }: Pick<Machine, 'persona'>): boolean {
  return name === 'healthy' || name === 'slow' || name === 'flapping';
}

/** @returns how many machines of a swarm will be configured in the end: of two clones at least one */
export function leastConfigured(nodes: number): number {
  const parts = personasOf(nodes, parseWeights(weights));
  return parts.filter((part) => isToSettle(part)).length + parts.filter(isClone).length / 2;
}

/** @returns all machines of the swarm, with their disks as they are now */
export async function machinesOf(stack: Stack, nodes: number): Promise<Machine[]> {
  const machines: Machine[] = [];
  for (const [index, { machine: name, identity, persona }] of personasOf(
    nodes,
    parseWeights(weights),
  ).entries()) {
    machines.push({
      name,
      identity,
      persona,
      address: `${loopbackHost(index)}:${stack.ports.swarm}`,
      disk: await readNodeState(join(stack.nodesDirectory, name)),
    });
  }
  return machines;
}

export function isClone({ persona: { name } }: Pick<Machine, 'persona'>): boolean {
  return name === 'cloned';
}
