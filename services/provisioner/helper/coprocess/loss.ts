// Says why a long-lived program is gone that no run was failed by, for the log.

import type { Closed, Exit, Loss } from '../spawner/protocol.js';

/** @returns what it did, such as `exited with code 3` */
export function describeEnd(cause: Exit | Closed): string {
  if (cause.how === 'CLOSED') return `closed its standard ${cause.stream === 'stdin' ? 'input' : 'output'}`;
  return cause.code === null ? `was killed by ${cause.signal}` : `exited with code ${cause.code}`;
}

/** @returns a sentence without a full stop */
export function describeLoss({ cause, asked, answered }: Loss): string {
  const after = answered === 1 ? 'after 1 answer' : `after ${answered} answers`;
  const next = asked ? 'another is asked the same' : 'another is started when it is needed';
  if (cause.how === 'OUT_OF_TURN') {
    return `a helper process wrote to standard output without being asked, ${after}, and was killed; ${next}`;
  }
  return `a helper process ${describeEnd(cause)} ${after}; ${next}`;
}

/** Whether it is as it should be that such a program ends. */
export function isInOrder({ cause }: Loss): boolean {
  return cause.how === 'EXITED' && cause.code === 0;
}
