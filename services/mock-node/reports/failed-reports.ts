// Says why reports do not get through, so that whoever looks at a node sees why nothing comes of it: once a minute at
// most, however many nodes try how often. Each failure by itself is for the debug log.

import { status } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import { type RpcError, statusName } from '../../../shared/grpc/errors.js';
import { plainFailure } from '../../../shared/grpc/plain-failure.js';

/** How often it is said, at most: milliseconds. */
const everyMs = 60_000;

export class FailedReports {
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  #unsaid = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, warn: (message: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  count(error: RpcError): void {
    if (isOrdinary(error)) return;
    this.#unsaid++;
    const now = this.#clock.monotonic();
    if (now < this.#notBefore) return;
    const times = this.#unsaid === 1 ? '' : ` (${this.#unsaid} since this was said last)`;
    const why = `${statusName(error.code)}: ${plainFailure(error.message)}`;
    this.#warn(`a report did not get through: ${why}${times}`);
    this.#unsaid = 0;
    this.#notBefore = now + everyMs;
  }
}

/** Discovery sets the pace; a report may be late, or come again; and a node that stops breaks off what it says. */
function isOrdinary({ code, reason }: RpcError): boolean {
  if (code === status.RESOURCE_EXHAUSTED || code === status.CANCELLED) return true;
  return reason === 'SEQUENCE_STALE' || reason === 'SEQUENCE_REUSED';
}
