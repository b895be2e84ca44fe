// Says that proofs do not match, so that whoever looks at a node with another secret than the provisioner's sees it.

import type { Clock } from '../../../shared/clock.js';
import { OnceAMinute } from '../once-a-minute.js';

export class RefusedProofs {
  readonly #warning: OnceAMinute;

  constructor(clock: Clock, warn: (message: string) => void) {
    this.#warning = new OnceAMinute(clock, warn);
  }

  /** A call was refused with PROOF_INVALID. */
  count(): void {
    this.#warning.count((times) => {
      const calls = times === 1 ? '1 call was' : `${times} calls were`;
      return (
        `${calls} refused with PROOF_INVALID: the caller has another provisioning secret than this node, or somebody ` +
        "is between the two; compare the provisioner's token or token_file with the node's --secret-file, or cht of " +
        'its --jwt-file. While the secret is being changed a few of them are in order'
      );
    });
  }
}
