// The settings of discovery: names, defaults and meanings (design, section 11).

import { z } from 'zod';
import { commonFields, insecureWarnings } from '../../shared/config/common.js';
import {
  duration,
  flag,
  hostPortOrFile,
  listenAddress,
  listOf,
  network,
  verificationKey,
  wholeNumber,
} from '../../shared/config/fields.js';
import type { DeepReadonly } from '../../shared/config/freeze.js';
import { type ConfigSource, type Loaded, loadConfig } from '../../shared/config/load.js';

export const discoverySchema = z.object({
  ...commonFields({ listen: '0.0.0.0:7412', monitorPort: 7411 }),
  /** Where nodes report. */
  listen_nodes: listenAddress().default('0.0.0.0:7410'),
  /** Every live node is sighted, and every static target probed, once in it. */
  interval: duration({ min: '1s', max: '1d' }).prefault('1m'),
  /** How often a node reports, unless there are so many that the fleet must be paced. */
  report_interval: duration({ min: '1s', max: '1d' }).prefault('10s'),
  /** Reports that are taken in a second. Nodes are told to report so seldom that they fit in. */
  max_reports_per_second: wholeNumber(1).default(500),
  /** Nodes in provisioning mode that are known at once, and as many configured ones. */
  max_nodes: wholeNumber(1).default(200_000),
  /** Nodes from one IP address, or IPv6 network of 64 bits. 0: no limit. */
  max_nodes_per_source: wholeNumber().default(0),
  /** Reports from one such source in a second. 0: no limit. */
  max_reports_per_source: wholeNumber().default(0),
  /** Events that are kept, so that a watcher that was away can resume. */
  event_ring: wholeNumber(1, 10_000_000).default(100_000),
  /** How long a watcher that was away still hears that a node came up configured. */
  provisioned_retention: duration({ max: '1d' }).prefault('10m'),
  /** Agents that cannot report: host:port each, or files of them, which are read again every interval. */
  targets: listOf(hostPortOrFile()).default([]),
  /** How long a probe may take. */
  probe_timeout: duration({ min: '10ms', max: '1m' }).prefault('2s'),
  /** Static targets that are probed at once. Incumbents of a contested identity have eight times as many. */
  probe_concurrency: wholeNumber(1, 10_000).default(64),
  /** Whether a node may name the host at which it is dialled. */
  trust_advertised_host: flag().default(false),
  /** Networks in which nodes may be. Empty: everywhere but on loopback. */
  node_networks: listOf(network()).default([]),
  /** The public key that provisioning tokens are verified with. Without it, whoever reaches listen_nodes can report. */
  jwt_verify_cert: verificationKey().optional(),
});

export type DiscoveryConfig = DeepReadonly<z.output<typeof discoverySchema>>;

/** @throws ConfigError with every problem */
export function loadDiscoveryConfig(source: ConfigSource): Loaded<DiscoveryConfig> {
  return loadConfig({
    schema: discoverySchema,
    service: 'discovery',
    source,
    warn: (config) => [...insecureWarnings(config), ...tokenWarnings(config)],
  });
}

function tokenWarnings({ jwt_verify_cert }: DiscoveryConfig): string[] {
  if (jwt_verify_cert !== undefined) return [];
  return [
    'jwt_verify_cert is not set, so provisioning tokens are not checked: whoever reaches listen_nodes can report, ' +
      'in the name of any node that is not there',
  ];
}
