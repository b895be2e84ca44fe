// The whole swarm as its files tell it: what came of each node, and that nothing is of two pieces.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack } from '../../cli/launch/stack.js';
import { type NodeOnDisk, readNodeState } from '../../services/mock-node/state/read-node-state.js';

/** @returns the state of every node that has a folder, by identity */
export async function nodesOnDisk(stack: Pick<Stack, 'nodesDirectory'>): Promise<Map<string, NodeOnDisk>> {
  const names = await readdir(stack.nodesDirectory);
  const nodes = new Map<string, NodeOnDisk>();
  for (const name of names) nodes.set(name, await readNodeState(join(stack.nodesDirectory, name)));
  return nodes;
}

/** @returns what is wrong with nodes that should all be up with one whole configuration; empty where nothing is */
export function notWhole(nodes: ReadonlyMap<string, NodeOnDisk>): string[] {
  return [...nodes].flatMap(([name, node]) => [
    ...(node.confirmed ? [] : [`${name} is not confirmed: ${node.status}, ${node.stage}`]),
    ...node.problems.map((problem) => `${name}: ${problem}`),
  ]);
}

/** @returns identities whose parts carry different stamps (helpers/stamped.sh) */
export async function mixedStamps(
  stack: Pick<Stack, 'nodesDirectory'>,
  nodes: ReadonlyMap<string, NodeOnDisk>,
): Promise<string[]> {
  const mixed: string[] = [];
  for (const [name, node] of nodes) {
    const folder = join(stack.nodesDirectory, name);
    const policy = await readFile(join(folder, 'policies/stamp.policy'), 'utf8');
    const rego = await readFile(join(folder, 'opa/stamp.rego'), 'utf8');
    if (node.settings.get('stamp') !== policy || policy !== rego) mixed.push(name);
  }
  return mixed;
}
