// How slow a slow node is: each call is delayed by 0.2 to 3 s, Identify by 0.2 to 1.5 s, since callers wait less for
// it. Delays that strike a call add up: one always, the others by even chance, so that every step between least and
// most is as likely.

import { type Fault, type RpcWord, rpcWords } from '../faults/fault.js';

/** Milliseconds. */
const leastMs = 200;
const usualMs = [400, 800, 1_600];
const identifyMs = [200, 350, 750];

/** The faults of a slow node. */
export const delays: readonly Fault[] = rpcWords.flatMap((rpc) => [
  delay(rpc, leastMs, 1),
  ...(rpc === 'identify' ? identifyMs : usualMs).map((ms) => delay(rpc, ms, 0.5)),
]);

function delay(rpc: RpcWord, delayMs: number, probability: number): Fault {
  return {
    identity: '*',
    rpc,
    effect: { kind: 'delay', delayMs },
    probability,
    times: Number.POSITIVE_INFINITY,
  };
}
