// What discovery counts (design, section 11).

import type { Metrics } from '../../shared/metrics/registry.js';
import { type RefusalReason, type ReportType, refusalReasons, reportTypes } from './nodes/announcement.js';

/** What the gauges read when they are asked. */
export interface Readings {
  readonly liveCount: number;
  readonly configuredCount: number;
}

/** Seconds until the service's own certificate expires; undefined where it has none. */
export type CertificateExpiry = () => number | undefined;

export interface DiscoveryMetrics {
  reportTaken(type: ReportType): void;
  reportRefused(reason: RefusalReason): void;
  /** A node's connection was closed because more came than could be served. */
  nodeTurnedAway(): void;
  cycleCompleted(): void;
  probeFailed(): void;
  watching(change: 1 | -1): void;
}

/** Makes the metric that shows when certificates end. */
export function showCredentialExpiry(metrics: Metrics, certificate: CertificateExpiry): void {
  metrics.gauge({
    name: 'credential_expiry_seconds',
    help: 'Seconds until a credential expires, below 0 once it has; +Inf where there is none.',
    labels: { name: ['tls'] },
    read: (set) => set({ name: 'tls' }, certificate() ?? Number.POSITIVE_INFINITY),
  });
}

/** Makes the metrics of what discovery does, at zero. */
export function discoveryMetrics(metrics: Metrics, readings: Readings): DiscoveryMetrics {
  const reports = metrics.counter({
    name: 'reports_total',
    help: 'Reports that were taken, by what they say.',
    labels: { type: reportTypes },
  });
  const refused = metrics.counter({
    name: 'reports_refused_total',
    help: 'Reports that were refused, by why. OVERLOADED: connections that were closed before they were served.',
    labels: { reason: [...refusalReasons, 'OVERLOADED'] },
  });
  const cycles = metrics.counter({
    name: 'cycles_total',
    help: 'Discovery cycles that were completed, those that were asked for among them.',
  });
  const probeErrors = metrics.counter({
    name: 'probe_errors_total',
    help: 'Probes of static targets that found no agent.',
  });
  let watchers = 0;
  metrics.gauge({ name: 'watchers', help: 'Watches that are open.', read: () => watchers });
  metrics.gauge({
    name: 'nodes',
    help: 'Nodes that hold a lease: in provisioning mode, or configured and still reporting so.',
    labels: { state: ['PROVISIONING', 'CONFIGURED'] },
    read: (set) => {
      set({ state: 'PROVISIONING' }, readings.liveCount);
      set({ state: 'CONFIGURED' }, readings.configuredCount);
    },
  });
  return {
    reportTaken: (type) => reports.inc({ type }),
    reportRefused: (reason) => refused.inc({ reason }),
    nodeTurnedAway: () => refused.inc({ reason: 'OVERLOADED' }),
    cycleCompleted: () => cycles.inc(),
    probeFailed: () => probeErrors.inc(),
    watching: (change) => {
      watchers += change;
    },
  };
}
