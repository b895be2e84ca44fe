// Puts together how nodes are dialled: as whom, where, and within which bounds.

import { parseCidr } from '../../shared/net/dial-policy.js';
import type { ProvisionerConfig } from './config.js';
import type { DialerOptions } from './run/dialer.js';

export interface DialingParts extends Pick<DialerOptions, 'clock' | 'observer'> {
  /** This provisioner's instance id. */
  readonly instance: string;
}

export function createDialing(config: ProvisionerConfig, parts: DialingParts): DialerOptions {
  const { instance, clock, observer } = parts;
  return {
    site: config.site,
    provisioner: instance,
    maxInventoryBytes: config.max_inventory,
    networks: config.node_networks.map(parseCidr),
    tlsMode: config.tls.mode,
    clock,
    observer,
  };
}
