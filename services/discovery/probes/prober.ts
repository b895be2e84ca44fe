// Asks whoever is at an address who it is.

import type { BootId, Identity } from '../../../shared/identity.js';

export type ProbeResult =
  | {
      readonly kind: 'ANSWERED';
      readonly identity: Identity;
      readonly bootId: BootId;
      /** True where it accepts configuration now. */
      readonly provisioning: boolean;
      readonly version: string;
      /** Hex SHA-256 of the certificate that it served; empty without encryption. */
      readonly certificateSha256: string;
    }
  /** It did not answer in time, or not as an agent does. */
  | { readonly kind: 'SILENT'; readonly why: string };

export interface Prober {
  /**
   * Calls Identify once, within the probe's timeout.
   *
   * @param address IP address and port, IPv6 in brackets
   * @throws only the signal's reason, once it is aborted
   */
  identify(address: string, signal: AbortSignal): Promise<ProbeResult>;
}
