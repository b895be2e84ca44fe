// Runs a service in the process of the command: only its own code is loaded.

import type { ServiceName } from '../terminal.js';

/** Never returns while the service runs; it ends the process. */
export async function runService(
  name: ServiceName,
  flags: readonly string[],
  process: NodeJS.Process,
): Promise<void> {
  // The services read their flags from here.
  process.argv = [...process.argv.slice(0, 2), ...flags];
  switch (name) {
    case 'discovery':
      return (await import('../../services/discovery/program.js')).runDiscovery(process);
    case 'provisioner':
      return (await import('../../services/provisioner/program.js')).runProvisioner(process);
    case 'mock-node':
      return (await import('../../services/mock-node/program.js')).runMockNode(process);
  }
}
