// One attempt of one call: with a deadline that a stopping service shortens, and cut off when the run is
// over. Whether there is another attempt is rpc.ts's matter.

import type { Timer } from '../../../shared/clock.js';
import type { StepName } from '../events/event.js';
import { type CallFailure, type CallLimits, NodeCallError } from './node.js';
import type { NodeRpc } from './node-client.js';
import type { RunContext } from './run-context.js';

export type Attempt<T> =
  | { readonly kind: 'REPLY'; readonly value: T }
  | { readonly kind: 'FAILED'; readonly failure: CallFailure }
  /** The run has to end: `control.end` says how. */
  | { readonly kind: 'CUT' };

export interface AttemptOptions {
  readonly step: StepName;
  /** The call, where it is another than the step's own. */
  readonly rpc?: NodeRpc;
  readonly timeoutMs: number;
  /** A call with effects is only cut off by the node's own news: else nobody would know what it did. */
  readonly hasEffects: boolean;
}

/** No attempt is shorter: it could not succeed. */
export const shortestAttemptMs = 50;

/** Half of what is left, so that there is always time to ask the node what became of a call. */
function hurriedMs({ control }: RunContext, step: StepName): number {
  return Math.max(shortestAttemptMs, control.timeLeftMs(step) / 2);
}

/**
 * Makes one attempt.
 *
 * @throws what is no {@link NodeCallError}, which nobody planned
 */
export async function attemptOnce<T>(
  run: RunContext,
  { step, rpc, timeoutMs, hasEffects }: AttemptOptions,
  call: (limits: CallLimits) => Promise<T>,
): Promise<Attempt<T>> {
  const { control, clock, progress } = run;
  const aborter = new AbortController();
  const isOver = () => control.end !== undefined && (!hasEffects || control.end.kind === 'PROVISIONED');
  let hurry: Timer | undefined;
  const off = control.onChange(() => {
    if (isOver()) aborter.abort();
    if (control.timeLeftMs(step) === Number.POSITIVE_INFINITY) return;
    hurry?.cancel();
    hurry = clock.setTimer(hurriedMs(run, step), () => aborter.abort());
  });
  try {
    const limits = { timeoutMs: Math.min(timeoutMs, hurriedMs(run, step)), signal: aborter.signal };
    progress.waitForReply(limits.timeoutMs, rpc);
    return { kind: 'REPLY', value: await call(limits) };
  } catch (error) {
    if (error instanceof NodeCallError) return { kind: 'FAILED', failure: error.failure };
    if (!aborter.signal.aborted) throw error;
    return isOver() ? { kind: 'CUT' } : { kind: 'FAILED', failure: cutShort };
  } finally {
    progress.waitedEnough();
    off();
    hurry?.cancel();
  }
}

const cutShort: CallFailure = {
  kind: 'STATUS',
  code: 'DEADLINE_EXCEEDED',
  reason: '',
  metadata: {},
  retryAfterMs: undefined,
  message: 'cut short: the service is stopping',
};
