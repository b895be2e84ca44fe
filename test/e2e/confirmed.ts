// Waiting for a fleet, by the provisioner's own counts and by the swarm's.

import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';

/** Resolves when the provisioner has counted so many confirmed nodes. */
export async function untilConfirmed(stack: Stack, nodes: number, timeoutMs: number): Promise<void> {
  let last = 'no answer';
  await until(
    async () => {
      const samples = await stack.metrics('provisioner');
      const confirmed = samples?.sum('slipway_provisioner_confirmed_total');
      last = `${confirmed ?? 'no answer'} of ${nodes}`;
      return confirmed !== undefined && confirmed >= nodes;
    },
    { what: `${nodes} nodes confirmed in ${stack.directory}`, timeoutMs, everyMs: 200 },
  ).catch((error: Error) => {
    throw new Error(`${error.message}; ${last}`);
  });
}

/** Resolves when so many nodes have come up configured, as the swarm counts them. */
export async function untilConfigured(stack: Stack, nodes: number, timeoutMs: number): Promise<void> {
  await until(
    async () => {
      const samples = await stack.metrics('mock-node');
      return (samples?.sum('slipway_mock_node_nodes', { mode: 'configured' }) ?? 0) >= nodes;
    },
    { what: `${nodes} nodes configured in ${stack.directory}`, timeoutMs, everyMs: 200 },
  );
}

/** Resolves when so many configurations were committed, as the swarm counts them. */
export async function untilCommitted(stack: Stack, count: number): Promise<void> {
  await until(
    async () => {
      const samples = await stack.metrics('mock-node');
      return (samples?.sum('slipway_mock_node_configurations_total') ?? 0) >= count;
    },
    { what: `${count} configurations committed in ${stack.directory}`, timeoutMs: 120_000 },
  );
}
