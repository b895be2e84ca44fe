// Keeps what is published.

import type { EventSink, ProvisioningEvent } from '../../services/provisioner/events/event.js';

export class RecordingSink implements EventSink {
  readonly events: ProvisioningEvent[] = [];

  publish(event: ProvisioningEvent): void {
    this.events.push(event);
  }

  get types(): ProvisioningEvent['type'][] {
    return this.events.map((event) => event.type);
  }

  /** The events of one type, oldest first. */
  of<T extends ProvisioningEvent['type']>(type: T): Extract<ProvisioningEvent, { type: T }>[] {
    return this.events.filter(
      (event): event is Extract<ProvisioningEvent, { type: T }> => event.type === type,
    );
  }
}
