// Says that proofs do not match, so that whoever looks at a node with another secret than the provisioner's sees it:
// once a minute at most, however many calls come. Each by itself is for the debug log.

import type { Clock } from '../../../shared/clock.js';

/** How often it is said, at most: milliseconds. */
const everyMs = 60_000;

export class RefusedProofs {
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  #unsaid = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, warn: (message: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /** A call was refused with PROOF_INVALID. */
  count(): void {
    this.#unsaid++;
    const now = this.#clock.monotonic();
    if (now < this.#notBefore) return;
    const calls = this.#unsaid === 1 ? '1 call was' : `${this.#unsaid} calls were`;
    this.#warn(
      `${calls} refused with PROOF_INVALID: the caller has another provisioning secret than this node, or somebody ` +
        "is between the two; compare the provisioner's token or token_file with the node's --secret-file, or cht of " +
        'its --jwt-file. While the secret is being changed a few of them are in order',
    );
    this.#unsaid = 0;
    this.#notBefore = now + everyMs;
  }
}
