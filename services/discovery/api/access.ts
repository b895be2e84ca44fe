// Who may call which RPC of discovery (design, section 8, "Transport").

import type { AccessTable } from '../../../shared/grpc/access.js';

/** slipway.discovery.v1.NodeDiscoveryService: what discovery's consumers call. */
export const discoveryAccess: AccessTable = {
  WatchNodes: ['viewer', 'operator', 'provisioner'],
  ListNodes: ['viewer', 'operator'],
  Discover: ['operator', 'provisioner'],
};

/** slipway.discovery.v1.NodeRegistryService: nodes have no certificate of the site; their reports say who they are. */
export const registryAccess: AccessTable = { Report: 'OPEN' };
