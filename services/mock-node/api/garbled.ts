// Replies that go out as bytes that are no such message: a fault to order.

import type { ServiceDefinition } from '@grpc/grpc-js';

/** A tag that never ends: no message of protobuf begins so. */
const garbage = Buffer.alloc(32, 0xff);

export class GarbledReplies {
  readonly #replies = new WeakSet<object>();

  /** This reply is to be garbage. */
  add(reply: object): void {
    this.#replies.add(reply);
  }

  /** @returns the service, whose replies are garbage where they were added here */
  servedAs(definition: ServiceDefinition): ServiceDefinition {
    return Object.fromEntries(
      Object.entries(definition).map(([name, method]) => [
        name,
        {
          ...method,
          responseSerialize: (reply: object) =>
            this.#replies.has(reply) ? garbage : method.responseSerialize(reply),
        },
      ]),
    );
  }
}
