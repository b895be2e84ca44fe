// Whom one boot of a node lets in: checks each caller in the order of the table (checks.ts), and remembers who
// holds the node and which stop is pending.

import type { Clock } from '../../../shared/clock.js';
import { type BootId, type Identity, parseRunId, type RunId } from '../../../shared/identity.js';
import type { Secret } from '../../../shared/secret.js';
import { verifyProof } from '../../../shared/trust/proof.js';
import type { NodeState } from '../state/node-state.js';
import type { Caller, PendingStop, Rpc } from './call.js';
import { checkAdmission } from './checks.js';
import { Holding } from './holding.js';
import { DownError, RefusedError } from './refusal.js';

export interface AdmissionOptions {
  readonly identity: Identity;
  readonly bootId: BootId;
  /** 32 random bytes of this boot. */
  readonly challenge: Uint8Array;
  /** Hex SHA-256 of the certificate that this boot serves with; empty without TLS. */
  readonly certificateSha256: string;
  /** Without one, any proof is accepted. */
  readonly secret: Secret | undefined;
  /** Whether this boot came up in provisioning mode. */
  readonly provisioning: boolean;
  readonly clock: Clock;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly holding: Holding;
  /** The stop that was accepted. */
  pending: PendingStop | undefined;
  /** Nobody is let in any more. */
  closed = false;

  /** @param stored who held the node in earlier boots, as the disk has it */
  constructor(options: AdmissionOptions, stored: Pick<NodeState, 'hold' | 'formerHolds'>) {
    this.#options = options;
    this.holding = new Holding(options.clock, options.provisioning ? stored : undefined);
  }

  /**
   * From here on the caller's run holds the node.
   *
   * @throws RefusedError, DownError
   */
  admit(rpc: Rpc, caller: Caller): RunId {
    if (this.closed) throw new DownError();
    const { identity, bootId, provisioning, secret, clock } = this.#options;
    const refusal = checkAdmission(rpc, caller, {
      identity,
      bootId,
      provisioning,
      hasSecret: secret !== undefined,
      acceptsProof: (of) => this.#acceptsProof(of),
      pending: this.pending,
      hold: this.holding.current,
      holdOfSite: this.holding.of(caller.site),
      now: clock.monotonic(),
    });
    if (refusal !== undefined) throw new RefusedError(refusal);
    const runId = parseRunId(caller.run);
    // The checks have passed: both are there.
    if (runId === undefined || caller.fence === undefined) throw new Error('admitted without run or fence');
    this.holding.take({ site: caller.site, fence: caller.fence, runId });
    return runId;
  }

  #acceptsProof(caller: Caller): boolean {
    const { secret, identity, challenge, certificateSha256 } = this.#options;
    if (secret === undefined) return true;
    return verifyProof(caller.proof, {
      secret: secret.reveal(),
      identity,
      runId: caller.run,
      challenge,
      certificateSha256,
    });
  }
}
