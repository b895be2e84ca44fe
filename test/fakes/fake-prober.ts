// Agents that answer probes, or do not, as a test says.

import type { ProbeResult, Prober } from '../../services/discovery/probes/prober.js';
import type { BootId, Identity } from '../../shared/identity.js';

export interface FakeAgent {
  readonly identity: Identity;
  readonly bootId: BootId;
  readonly provisioning?: boolean;
  /** Of the certificate that it serves; none where absent. */
  readonly certificateSha256?: string;
}

export class FakeProber implements Prober {
  /** Addresses that were probed, in order. */
  readonly probed: string[] = [];
  readonly #agents = new Map<string, FakeAgent>();
  readonly #held: (() => void)[] = [];
  #holding = false;
  #waiting = 0;
  /** The most probes that were under way at once. */
  mostAtOnce = 0;

  /** Who answers at an address from now on; nobody where undefined. */
  place(address: string, agent: FakeAgent | undefined): void {
    if (agent === undefined) this.#agents.delete(address);
    else this.#agents.set(address, agent);
  }

  /** Probes wait from now on, until {@link release}. */
  hold(): void {
    this.#holding = true;
  }

  /** Lets all probes that wait, and those that come, get their answer. */
  release(): void {
    this.#holding = false;
    for (const go of this.#held.splice(0)) go();
  }

  async identify(
    address: string,
    certificateSha256: string | undefined,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    this.probed.push(address);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#waiting);
    if (this.#holding) await new Promise<void>((resolve) => this.#held.push(resolve));
    this.#waiting--;
    signal.throwIfAborted();
    const agent = this.#agents.get(address);
    if (agent === undefined) return { kind: 'SILENT', why: 'connection refused' };
    const answer = { kind: 'ANSWERED', version: '1.0.0', certificateSha256: '', provisioning: true } as const;
    const result = { ...answer, ...agent };
    if (certificateSha256 !== undefined && result.certificateSha256 !== certificateSha256) {
      return { kind: 'SILENT', why: 'another certificate' };
    }
    return result;
  }
}
