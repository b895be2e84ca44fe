// What a call to a node is made of, and what comes of it. rpc.ts makes it.

import type { StepName } from '../events/event.js';
import type { CallFailure, CallLimits } from './node.js';
import type { Outcome } from './outcome.js';
import type { Settlement, StatusAnswer } from './settle.js';

export interface NodeCall<T> {
  readonly step: StepName;
  readonly tries: number;
  readonly timeoutMs: number;
  readonly attempt: (limits: CallLimits) => Promise<T>;
  /** Whether the call carries run and fence: all do but Identify. */
  readonly fenced: boolean;
  /** For calls that change the node. */
  readonly settling?: Settling<T>;
}

export interface Settling<T> {
  /** What a settled call gives. */
  readonly done: T;
  /** @param sent whether an earlier attempt may have reached the node */
  readonly decide: (answer: StatusAnswer, sent: boolean) => Settlement;
  /** How the run ends where nobody knows what the call did. */
  readonly unsettled: (lost: CallFailure) => Outcome;
}

export type CallResult<T> = { readonly kind: 'REPLY'; readonly value: T; readonly tries: number } | CallEnd;

/** The call got nowhere, and neither does its step. `failure` is what ended it, where a failure did. */
export type CallEnd =
  | { readonly kind: 'ENDED'; readonly outcome: Outcome; readonly failure?: CallFailure }
  | { readonly kind: 'START_OVER'; readonly outcome: Outcome };
