// What other services ask about what happened (design, section 10). This version has no event log yet.

import {
  type ProvisioningEventServiceServer,
  ProvisioningEventServiceService,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { unimplemented } from '../../../shared/grpc/handler.js';
import type { ServedService } from '../../../shared/grpc/server.js';
import { eventsAccess } from './access.js';

/** Serves slipway.provisioner.v1.ProvisioningEventService. */
export function provisioningEventService(): ServedService {
  const implementation: ProvisioningEventServiceServer = {
    watchEvents: unimplemented('WatchEvents'),
    listEvents: unimplemented('ListEvents'),
  };
  return { definition: ProvisioningEventServiceService, implementation, access: eventsAccess };
}
