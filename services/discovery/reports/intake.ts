// The way of a report: the rate of its source, then what is known of its boot and whether there is room for it,
// then pace, then its address, which may have to be resolved, and last the registry.

import { formatHostPort } from '../../../shared/net/addresses.js';
import { type Cidr, type Lookup, resolveDialable } from '../../../shared/net/dial-policy.js';
import type { Registry } from '../leases/registry.js';
import type { Outcome, Refused, Report } from '../nodes/announcement.js';
import type { Load } from './load.js';
import type { Pace } from './pace.js';
import { originOf, type SourceRates } from './source-rates.js';

export interface IntakeOptions {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly load: Pick<Load, 'answered'>;
  readonly sourceRates: SourceRates;
  readonly trustAdvertisedHost: boolean;
  readonly nodeNetworks: readonly Cidr[];
  readonly lookup: Lookup;
}

export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /**
   * To be asked before anything is done with what a peer sent.
   *
   * @param peerIp IP address that it came from
   */
  turnAway(peerIp: string): Refused | undefined {
    const retryAfterMs = this.#options.sourceRates.admit(originOf(peerIp));
    if (retryAfterMs === undefined) {
      // Also those that are not believed: they take as much time.
      this.#options.load.answered();
      return undefined;
    }
    const message = `too many reports come from ${peerIp} (max_reports_per_source)`;
    return { kind: 'REFUSED', reason: 'SOURCE_RATE_LIMITED', message, retryAfterMs };
  }

  /** Takes a report whose form was checked. */
  async take(report: Report, peerIp: string): Promise<Outcome> {
    const { registry, pace } = this.#options;
    const origin = originOf(peerIp);
    const reply = pace.reply(registry.reporting);
    const standing = registry.standing({ ...report, origin, reply });
    if (standing.kind !== 'NEW') return standing;
    // Configured nodes repeat themselves for a while: they are not to keep new ones out.
    const retryAfterMs = report.type === 'PROVISIONED' ? undefined : pace.admit(standing.urgent);
    if (retryAfterMs !== undefined) {
      const message = 'more nodes report at once than discovery takes (max_reports_per_second)';
      const longestMs = standing.longestWaitMs ?? Number.POSITIVE_INFINITY;
      return {
        kind: 'REFUSED',
        reason: 'RATE_LIMITED',
        message,
        retryAfterMs: Math.min(retryAfterMs, longestMs),
      };
    }
    const { trustAdvertisedHost, nodeNetworks, lookup } = this.#options;
    const host = trustAdvertisedHost && report.host !== '' ? report.host : peerIp;
    const target = await resolveDialable(formatHostPort(host, report.port), nodeNetworks, lookup);
    if (!target.ok) {
      const refused = { kind: 'REFUSED', reason: 'ADDRESS_REFUSED', message: target.message } as const;
      return target.kind === 'UNRESOLVED' ? { ...refused, retryAfterMs: reply.nextReportMs } : refused;
    }
    return registry.take({
      ...report,
      source: 'REPORTED',
      address: target.address,
      origin,
      reply,
    });
  }
}
