// A client of the provisioner's contracts that was made from the .proto files at run time: the wire is proved against
// the contract, and not against generated code twice.

import {
  credentials,
  loadPackageDefinition,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { onTestFinished } from 'vitest';
import type { ProvisionerApp } from '../../services/provisioner/app.js';
import { fromServiceError } from '../../shared/grpc/errors.js';

/** A message as its proto spells it: enums by name, 64-bit numbers as text, what is not set as null. */
// biome-ignore lint/suspicious/noExplicitAny: what is in a message only the contract says
export type Message = any;

type Call = (request: object, callback: (error: ServiceError | null, response: Message) => void) => void;

const definition = loadSync(
  ['slipway/provisioner/v1/provisioner.proto', 'slipway/provisioner/v1/events.proto'],
  { includeDirs: ['proto'], keepCase: true, enums: String, longs: String, defaults: true, oneofs: true },
);

/**
 * @returns what calls an RPC of ProvisionerService by its name
 * @throws RpcError
 */
export function contractClient(app: ProvisionerApp): (name: string, request?: object) => Promise<Message> {
  const packages = loadPackageDefinition(definition) as Message;
  const Client = packages.slipway.provisioner.v1.ProvisionerService as ServiceClientConstructor;
  const client = new Client(app.addresses.api ?? '', credentials.createInsecure());
  onTestFinished(() => client.close());
  const calls = client as unknown as Readonly<Record<string, Call>>;
  return (name, request = {}) =>
    new Promise((resolve, reject) => {
      const answered = (error: ServiceError | null, response: Message) =>
        error === null ? resolve(response) : reject(fromServiceError(error));
      calls[name]?.call(client, request, answered);
    });
}
