// Hosts that did not fit the queue: each counted, and reported as one event a second at most, with the
// number and some names (design, section 5).

import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { EventSink } from '../events/event.js';

const everyMs = 1_000;
const examplesKept = 10;

export class Drops {
  readonly #clock: Clock;
  readonly #sink: EventSink;
  #count = 0;
  #examples: Identity[] = [];
  #quiet = false;

  constructor(clock: Clock, sink: EventSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  add(identity: Identity): void {
    this.#count += 1;
    if (this.#examples.length < examplesKept) this.#examples.push(identity);
    if (!this.#quiet) this.#report();
  }

  #report(): void {
    this.#sink.publish({ type: 'HOST_DROPPED', count: this.#count, examples: this.#examples });
    this.#count = 0;
    this.#examples = [];
    this.#quiet = true;
    this.#clock.setTimer(everyMs, () => {
      this.#quiet = false;
      if (this.#count > 0) this.#report();
    });
  }
}
