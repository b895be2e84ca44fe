// Who may call which RPC of the provisioner (design, section 8, "Transport").

import type { AccessTable } from '../../../shared/grpc/access.js';

const readers = ['viewer', 'operator'] as const;
const operators = ['operator'] as const;

/** slipway.provisioner.v1.ProvisionerService. */
export const provisionerAccess: AccessTable = {
  GetStatus: readers,
  ListHosts: readers,
  GetHost: readers,
  Pause: operators,
  Resume: operators,
  ProvisionHost: operators,
  ReprovisionHost: operators,
  ReleaseHost: operators,
  TestHelper: operators,
};

/** slipway.provisioner.v1.ProvisioningEventService. */
export const eventsAccess: AccessTable = { WatchEvents: readers, ListEvents: readers };
