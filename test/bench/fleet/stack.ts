// The stack that is measured: configuration and trust as for any, but for discovery's pace and the swarm's disk.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from '../../../cli/launch/stack.js';
import type { FleetOptions } from '../options.js';
import { helperSettings } from './helper.js';

/**
 * Discovery takes all reports of a fleet that starts at once, and asks for none in between: each node says that it is
 * there, that it stops and that it came up, on both sides.
 */
const pace = { report_interval: '1h', max_reports_per_second: 100_000 } as const;

/** Events of one node, with room: of discovery, and of the provisioner. */
const nodeEvents = 8;
const provisioningEvents = 40;

/** Discovery's events: as many as are kept by default, or all of the fleet's, so that they can be read afterwards. */
export type KeptEvents = 'AS_USUAL' | 'ALL';

/** Writes configuration and makes certificates in the folder; starts nothing. */
export function prepareStack(
  directory: string,
  fleet: FleetOptions,
  kept: KeptEvents = 'ALL',
): Promise<Stack> {
  const { nodes, workers, tls, features, helper } = fleet;
  return Stack.prepare({
    directory,
    nodes,
    ...helperSettings(helper),
    tls: tls ? 'required' : 'insecure',
    features,
    discovery: kept === 'ALL' ? { ...pace, event_ring: Math.max(100_000, nodeEvents * nodes) } : pace,
    provisioner: {
      ...helperSettings(helper),
      workers,
      // A node is not lost because one process plays thousands of them and others want its core.
      identify_timeout: '10s',
      events: { max_count: Math.max(1_000_000, provisioningEvents * nodes) },
    },
  });
}

/** Kills all that runs, and removes the folder. */
export function dispose(stack: Stack, keep: boolean): void {
  stack.killAll();
  if (keep) process.stderr.write(`kept: ${stack.directory}\n`);
  else rmSync(stack.directory, { recursive: true, force: true, maxRetries: 10 });
}

/** @returns a folder below the one of this bench, by a number that rises */
export function folders(root: string): () => string {
  let last = 0;
  return () => join(root, String(++last));
}
