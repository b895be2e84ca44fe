// Says why reports do not get through, so that whoever looks at a node sees why nothing comes of it.

import { status } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import { type RpcError, statusName } from '../../../shared/grpc/errors.js';
import { plainFailure } from '../../../shared/grpc/plain-failure.js';
import { OnceAMinute } from '../once-a-minute.js';

export class FailedReports {
  readonly #warning: OnceAMinute;

  constructor(clock: Clock, warn: (message: string) => void) {
    this.#warning = new OnceAMinute(clock, warn);
  }

  count(error: RpcError): void {
    if (isOrdinary(error)) return;
    this.#warning.count((times) => {
      const since = times === 1 ? '' : ` (${times} since this was said last)`;
      return `a report did not get through: ${statusName(error.code)}: ${plainFailure(error.message)}${since}`;
    });
  }
}

/** Discovery sets the pace; a report may be late, or come again; and a node that stops breaks off what it says. */
function isOrdinary({ code, reason }: RpcError): boolean {
  if (code === status.RESOURCE_EXHAUSTED || code === status.CANCELLED) return true;
  return reason === 'SEQUENCE_STALE' || reason === 'SEQUENCE_REUSED';
}
