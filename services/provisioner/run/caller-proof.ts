// The proof that goes with the calls of a run. Nothing in it is of one call alone (design, section 3): it is made
// once, and anew when something of what it is made of has changed.

import { proof } from '../../../shared/trust/proof.js';
import type { Caller } from './node.js';

interface Made {
  readonly caller: Caller;
  readonly certificateSha256: string;
  readonly proof: string;
}

export class CallerProof {
  #last: Made | undefined;

  /** @param certificateSha256 of the node's certificate as the caller sees it at this moment; empty without TLS */
  of(caller: Caller, certificateSha256: string): string {
    const last = this.#last;
    if (last !== undefined && last.certificateSha256 === certificateSha256 && isAlike(last.caller, caller)) {
      return last.proof;
    }
    const { secret, identity, runId, challenge } = caller;
    const made = proof({ secret: secret?.reveal() ?? '', identity, runId, challenge, certificateSha256 });
    this.#last = { caller, certificateSha256, proof: made };
    return made;
  }
}

/** Boot and fence stand beside the proof, and are no part of it. */
function isAlike(one: Caller, other: Caller): boolean {
  return (
    one.secret === other.secret &&
    one.identity === other.identity &&
    one.runId === other.runId &&
    one.challenge === other.challenge
  );
}
