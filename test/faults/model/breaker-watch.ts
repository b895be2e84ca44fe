// Watches what one life of a provisioner does while its helper fails for every node: that it tries the helper with one
// run at a time, and holds nothing against a node (design, section 7).

import type { ProvisioningEvent } from '../../../services/provisioner/events/event.js';

export class BreakerWatch {
  readonly problems: string[] = [];
  readonly #limit: number;
  #open = false;
  /** Runs that began while it was open, and go on. */
  readonly #probes = new Set<string>();

  /** @param limit failures of the helper in a row at which no run starts any more */
  constructor(limit: number) {
    this.#limit = limit;
  }

  take(event: ProvisioningEvent): void {
    switch (event.type) {
      case 'BREAKER_OPENED':
        if (this.#open) this.#tell('it opens, and is open');
        if (event.failures !== this.#limit) this.#tell(`it opens at ${event.failures} failures`);
        this.#open = true;
        return;
      case 'BREAKER_CLOSED':
        if (!this.#open) this.#tell('it closes, and is not open');
        this.#open = false;
        this.#probes.clear();
        return;
      case 'RUN_STARTED':
        // One without a fence ends in the same moment and asks nobody.
        if (!this.#open || event.fence === 0n) return;
        this.#probes.add(event.runId);
        if (this.#probes.size > 1) this.#tell(`${event.identity} is run beside another probe`);
        return;
      case 'RUN_FINISHED':
        this.#probes.delete(event.runId);
        if (this.#open && event.reason.startsWith('HELPER_')) {
          this.#tell(`${event.identity} has failed for a helper that fails for all`);
        }
    }
  }

  #tell(problem: string): void {
    this.problems.push(`the breaker: ${problem}`);
  }
}
