// Where a run is at this moment, for people who ask why it takes so long. The run writes it as it goes and never
// reads it.

import type { Clock } from '../../../shared/clock.js';
import type { StepName } from '../events/event.js';
import type { NodeRpc } from './node-client.js';

/** What a run waits for. All times are monotonic milliseconds. */
export type RunWait =
  /** The reply to a call. */
  | {
      readonly kind: 'REPLY';
      readonly rpc: NodeRpc;
      /** From 1; of the step, also where the call asks what became of it. */
      readonly attempt: number;
      readonly tries: number;
      readonly since: number;
      readonly until: number;
    }
  /** The time of the next attempt. */
  | {
      readonly kind: 'RETRY';
      /** The one that comes. */
      readonly attempt: number;
      readonly tries: number;
      readonly since: number;
      readonly until: number;
    }
  /** A place to run the helper in. */
  | { readonly kind: 'HELPER_SLOT'; readonly since: number }
  | { readonly kind: 'HELPER'; readonly since: number }
  /** What server tokens are signed with; `why` says what is wrong with it. */
  | { readonly kind: 'CREDENTIALS'; readonly why: string; readonly since: number };

/** The last attempt of the step that failed, in words. */
export interface StepTrouble {
  /** gRPC status name, or empty where no RPC failed. */
  readonly code: string;
  /** A reason of a failed run, or one that the node gave; empty where there is none. */
  readonly reason: string;
  readonly message: string;
}

/** A run as it stands. */
export interface RunProgress {
  /** Undefined before the first. */
  readonly step: StepName | undefined;
  /** Undefined where the run waits for nobody. */
  readonly wait: RunWait | undefined;
  /** Of the step that it is at. */
  readonly trouble: StepTrouble | undefined;
}

/** The call by which a step does its work, where it makes one. */
const rpcOf: Readonly<Partial<Record<StepName, NodeRpc>>> = {
  IDENTIFY: 'Identify',
  GET_JWT: 'GetJwt',
  GENERATE_KEY: 'GenerateEd25519Key',
  GET_INVENTORY: 'GetInventory',
  GENERATE_CSR: 'GenerateCsr',
  SHUTDOWN: 'Shutdown',
  UPDATE_RELEASE: 'UpdateRelease',
  CONFIGURE: 'Configure',
  RESTART: 'Restart',
};

export class Progress implements RunProgress {
  readonly #clock: Clock;
  #step: StepName | undefined;
  #attempt = 1;
  #tries = 1;
  #wait: RunWait | undefined;
  #trouble: StepTrouble | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get step(): StepName | undefined {
    return this.#step;
  }

  get wait(): RunWait | undefined {
    return this.#wait;
  }

  get trouble(): StepTrouble | undefined {
    return this.#trouble;
  }

  enter(step: StepName, tries: number): void {
    this.#step = step;
    this.#attempt = 1;
    this.#tries = tries;
    this.#wait = undefined;
    this.#trouble = undefined;
  }

  failed({ code, reason, message }: StepTrouble): void {
    this.#trouble = { code, reason, message };
  }

  /** @param rpc default the step's own */
  waitForReply(timeoutMs: number, rpc: NodeRpc | undefined): void {
    const since = this.#clock.monotonic();
    const called = rpc ?? (this.#step && rpcOf[this.#step]);
    if (called === undefined) return;
    const [attempt, tries] = [this.#attempt, this.#tries];
    this.#wait = { kind: 'REPLY', rpc: called, attempt, tries, since, until: since + timeoutMs };
  }

  /** The next attempt, the number of which is given, comes after a pause. */
  waitToRetry(attempt: number, pauseMs: number): void {
    this.#attempt = Math.min(attempt, this.#tries);
    const since = this.#clock.monotonic();
    this.#wait = {
      kind: 'RETRY',
      attempt: this.#attempt,
      tries: this.#tries,
      since,
      until: since + pauseMs,
    };
  }

  waitForHelperSlot(): void {
    this.#wait = { kind: 'HELPER_SLOT', since: this.#clock.monotonic() };
  }

  waitForHelper(): void {
    this.#wait = { kind: 'HELPER', since: this.#clock.monotonic() };
  }

  /** Also where only why it waits has changed. */
  waitForCredentials(why: string): void {
    const since = this.#wait?.kind === 'CREDENTIALS' ? this.#wait.since : this.#clock.monotonic();
    this.#wait = { kind: 'CREDENTIALS', why, since };
  }

  waitedEnough(): void {
    this.#wait = undefined;
  }
}
