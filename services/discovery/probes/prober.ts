// Asks whoever is at an address who it is.

import type { Identity } from '../../../shared/identity.js';
import type { Boot } from '../nodes/boot.js';

/** What answered. Its certificate is the one that it served; none without encryption. */
export interface Answer extends Boot {
  readonly kind: 'ANSWERED';
  readonly identity: Identity;
  /** True where it accepts configuration now. */
  readonly provisioning: boolean;
  readonly version: string;
}

export type ProbeResult =
  | Answer
  /** It did not answer in time, or not as an agent does, or with another certificate than the one asked for. */
  | { readonly kind: 'SILENT'; readonly why: string };

export interface Prober {
  /**
   * Calls Identify once, within the probe's timeout.
   *
   * @param address IP address and port, IPv6 in brackets
   * @param certificateSha256 of the only certificate (DER) that will do, hex; empty: without encryption; undefined
   * where nothing is known of who is there
   * @throws only the signal's reason, once it is aborted
   */
  identify(address: string, certificateSha256: string | undefined, signal: AbortSignal): Promise<ProbeResult>;
}
