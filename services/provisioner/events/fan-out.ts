// Gives every event to all who take events. One that fails harms neither the others nor the publisher.

import type { EventSink, ProvisioningEvent } from './event.js';

/** The order of those who take events is that in which they were added. */
export class FanOut implements EventSink {
  readonly #sinks: EventSink[] = [];
  readonly #failed: (error: unknown, event: ProvisioningEvent) => void;

  /** @param failed is told what a sink threw */
  constructor(failed: (error: unknown, event: ProvisioningEvent) => void) {
    this.#failed = failed;
  }

  add(sink: EventSink): void {
    this.#sinks.push(sink);
  }

  publish(event: ProvisioningEvent): void {
    for (const sink of this.#sinks) {
      try {
        sink.publish(event);
      } catch (error) {
        this.#failed(error, event);
      }
    }
  }
}
