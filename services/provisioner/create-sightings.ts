// Puts together the watches of the discovery services, as whom they are asked, and who hears what they say.

import type { Clock } from '../../shared/clock.js';
import { insecureNodeCredentials } from '../../shared/grpc/credentials.js';
import type { Logger } from '../../shared/logger.js';
import type { Random } from '../../shared/random.js';
import { serviceCredentials } from '../../shared/tls/channel-credentials.js';
import type { ProvisionerConfig } from './config.js';
import { DiscoveryClient } from './sightings/discovery-client.js';
import { Sightings } from './sightings/sightings.js';
import type { WatchListener } from './sightings/watch.js';
import type { Trust } from './trust.js';

export interface SightingsParts {
  readonly listener: WatchListener;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export function createSightings(config: ProvisionerConfig, { tls }: Trust, parts: SightingsParts): Sightings {
  const { clock } = parts;
  const credentials =
    tls === undefined ? insecureNodeCredentials(clock) : serviceCredentials(tls.files, 'discovery', clock);
  return new Sightings({
    ...parts,
    discoveries: config.discovery,
    components: config.lifecycle_component,
    connect: (address) => new DiscoveryClient(address, credentials),
  });
}
