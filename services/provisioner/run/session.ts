// What a run says of itself to its node: run, fence and secret, and the boot that it speaks to.

import type { BootId, RunId } from '../../../shared/identity.js';
import type { Secret } from '../../../shared/secret.js';
import type { Caller, NodeDescription } from './node.js';

export class Session {
  readonly runId: RunId;
  readonly #tokens: readonly Secret[];
  #fence: bigint;
  #token = 0;
  #node: NodeDescription | undefined;
  #fenceKnown = false;

  /** @param tokens the provisioning secrets that the site's nodes may hold, newest first */
  constructor(runId: RunId, fence: bigint, tokens: readonly Secret[]) {
    this.runId = runId;
    this.#fence = fence;
    this.#tokens = tokens;
  }

  get fence(): bigint {
    return this.#fence;
  }

  /** The boot that Identify named; undefined before. */
  get bootId(): BootId | undefined {
    return this.#node?.bootId;
  }

  /** True until the node has taken this run's fence, or the run has overtaken another's. */
  get atFirstFencedCall(): boolean {
    return !this.#fenceKnown;
  }

  /** The provisioning secret that calls are proved with; undefined where the site has none. */
  get secret(): Secret | undefined {
    return this.#tokens[this.#token];
  }

  get hasNextToken(): boolean {
    return this.#token + 1 < this.#tokens.length;
  }

  /** The node that every later call is for. */
  meet(node: NodeDescription): void {
    this.#node = node;
  }

  fenceTaken(): void {
    this.#fenceKnown = true;
  }

  overtake(fence: bigint): void {
    this.#fence = fence;
    this.#fenceKnown = true;
  }

  useNextToken(): void {
    this.#token += 1;
  }

  /** @returns what goes with a call to the node that was met, or to another boot of it */
  caller(node: NodeDescription | undefined = this.#node): Caller {
    if (node === undefined) throw new Error('a call that needs a proof was made before Identify');
    const { identity, bootId, challenge } = node;
    return {
      identity,
      bootId,
      challenge,
      runId: this.runId,
      fence: this.#fence,
      secret: this.secret,
    };
  }
}
