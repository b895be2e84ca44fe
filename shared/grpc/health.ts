// grpc.health.v1 for one server: the server as a whole and each of its services say the same.

import type { Server, ServiceDefinition } from '@grpc/grpc-js';
import { HealthImplementation, service } from 'grpc-health-check';
import type { OpenCalls } from './open-calls.js';

export class Health {
  readonly #names: readonly string[];
  readonly #implementation: HealthImplementation;

  constructor(serviceNames: readonly string[], serving: boolean) {
    this.#names = ['', ...serviceNames];
    this.#implementation = new HealthImplementation();
    this.setServing(serving);
  }

  setServing(serving: boolean): void {
    for (const name of this.#names) {
      this.#implementation.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    }
  }

  /** @returns what was added */
  addTo(server: Server, calls: OpenCalls): ServiceDefinition {
    const definition = service as ServiceDefinition;
    this.#implementation.addToServer({
      addService: (_definition, implementation) => {
        server.addService(definition, calls.track(implementation, true));
      },
    });
    return definition;
  }
}
