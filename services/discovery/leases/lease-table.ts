// All leases, and how many there are of each kind and from each source. Every change of what is counted goes
// through here, so that the counts hold.

import type { Identity } from '../../../shared/identity.js';
import type { Lease, Phase } from './lease.js';
import type { SightingSlots } from './sighting-slots.js';

export class LeaseTable {
  readonly #leases = new Map<Identity, Lease>();
  readonly #phases: Record<Phase, number> = { PROVISIONING: 0, CONFIGURED: 0, GONE: 0 };
  readonly #origins = new Map<string, number>();
  readonly #slots: SightingSlots;
  #reporting = 0;

  constructor(slots: SightingSlots) {
    this.#slots = slots;
  }

  get(identity: Identity): Lease | undefined {
    return this.#leases.get(identity);
  }

  add(lease: Lease): void {
    this.#leases.set(lease.identity, lease);
    this.#count(lease, 1);
  }

  /** The lease is changed by `change`, in place. */
  change(lease: Lease, change: () => void): void {
    this.#count(lease, -1);
    change();
    this.#count(lease, 1);
  }

  remove(lease: Lease): void {
    this.#leases.delete(lease.identity);
    this.#count(lease, -1);
  }

  /**
   * The live nodes: those in provisioning mode. It may be walked slowly, while leases come and go: each that
   * stays is met, and none that is gone.
   */
  *live(): Generator<Lease> {
    for (const lease of this.#leases.values()) {
      if (lease.phase === 'PROVISIONING') yield lease;
    }
  }

  /** How many leases are in a phase. */
  count(phase: Phase): number {
    return this.#phases[phase];
  }

  /** How many nodes send reports. */
  get reporting(): number {
    return this.#reporting;
  }

  /** How many leases are counted to a source. */
  countFrom(origin: string): number {
    return this.#origins.get(origin) ?? 0;
  }

  #count(lease: Lease, by: 1 | -1): void {
    this.#phases[lease.phase] += by;
    if (lease.phase === 'PROVISIONING') {
      if (by === 1) this.#slots.add(lease);
      else this.#slots.remove(lease);
    }
    if (lease.phase === 'GONE' || lease.source === 'PROBED') return;
    this.#reporting += by;
    const fromOrigin = this.countFrom(lease.origin) + by;
    if (fromOrigin === 0) this.#origins.delete(lease.origin);
    else this.#origins.set(lease.origin, fromOrigin);
  }
}
