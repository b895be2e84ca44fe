// Finds the nodes at static targets, for fleets whose agents cannot report: asks each once in an interval, so
// many at once and no more.

import type { Cidr, Lookup } from '../../../shared/net/dial-policy.js';
import { resolveDialable } from '../../../shared/net/dial-policy.js';
import type { Registry } from '../leases/registry.js';
import { defaultComponent } from '../nodes/node.js';
import type { Limiter } from '../probes/limiter.js';
import type { Answer, Prober } from '../probes/prober.js';

export interface TargetProbesOptions {
  readonly registry: Pick<Registry, 'take' | 'probedElsewise'>;
  readonly prober: Prober;
  readonly limiter: Limiter;
  readonly nodeNetworks: readonly Cidr[];
  readonly lookup: Lookup;
  /** A probed lease lasts three of it: milliseconds. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Told of each target that could not be probed, and why. */
  readonly failed: (target: string, why: string) => void;
}

export class TargetProbes {
  readonly #options: TargetProbesOptions;
  /** Targets that wait for their probe or its end: none is probed twice at once. */
  readonly #pending = new Set<string>();

  constructor(options: TargetProbesOptions) {
    this.#options = options;
  }

  /** Probes a target, host:port, when its turn comes. What is found goes to the registry. */
  probe(target: string): void {
    const { limiter, signal, failed } = this.#options;
    if (this.#pending.has(target)) return;
    this.#pending.add(target);
    limiter
      .run(() => this.#probe(target), signal)
      .catch((error: unknown) => {
        if (!signal.aborted) failed(target, error instanceof Error ? error.message : String(error));
      })
      .finally(() => this.#pending.delete(target));
  }

  /** How many targets wait for their probe or its end. */
  get pending(): number {
    return this.#pending.size;
  }

  async #probe(target: string): Promise<void> {
    const { prober, nodeNetworks, lookup, signal, failed } = this.#options;
    const found = await resolveDialable(target, nodeNetworks, lookup);
    if (!found.ok) {
      failed(target, found.message);
      return;
    }
    const result = await prober.identify(found.address, undefined, signal);
    if (result.kind === 'SILENT') failed(target, result.why);
    else this.#found(found.address, result);
  }

  #found(address: string, node: Answer): void {
    const { registry, intervalMs } = this.#options;
    const { identity, bootId, version, certificateSha256 } = node;
    if (!node.provisioning) {
      registry.probedElsewise(identity, node, address);
      return;
    }
    registry.take({
      source: 'PROBED',
      type: 'ALIVE',
      eventId: '',
      identity,
      bootId,
      component: defaultComponent,
      version,
      labels: {},
      sequence: 0n,
      digest: '',
      certificateSha256,
      address,
      origin: '',
      runId: undefined,
      configurationDigest: '',
      reply: { leaseMs: 3 * intervalMs, nextReportMs: intervalMs },
    });
  }
}
