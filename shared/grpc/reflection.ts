// Server reflection: what the server serves, told to grpcurl and its like. The descriptors are those that buf
// built from proto/; proto-loader's own leave out imports and rename types, and clients refuse them.

import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server, ServiceDefinition } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { descriptorSet } from '../wire/descriptors.js';
import type { OpenCalls } from './open-calls.js';

/** A service of reflection: v1 or v1alpha. */
interface Part {
  readonly definition: ServiceDefinition;
  readonly implementation: object;
}

/**
 * By the services that are told of. What the installation holds does not change, and reading it costs
 * milliseconds and half a megabyte: a swarm has thousands of servers.
 */
const made = new Map<string, readonly Part[]>();

/**
 * Adds reflection (v1 and v1alpha) of the given services.
 *
 * @returns what was added
 * @throws Error where the installation lacks proto/descriptors.binpb
 */
export function addReflection(
  server: Server,
  calls: OpenCalls,
  definitions: readonly ServiceDefinition[],
): ServiceDefinition[] {
  const services = definitions.map(serviceName);
  const key = services.join();
  const parts = made.get(key) ?? reflectionOf(services);
  made.set(key, parts);
  for (const { definition, implementation } of parts) {
    server.addService(definition, calls.track(implementation));
  }
  return parts.map(({ definition }) => definition);
}

function reflectionOf(services: string[]): readonly Part[] {
  const { file } = descriptorSet();
  const fileDescriptorProtos = file.map((each) => Buffer.from(toBinary(FileDescriptorProtoSchema, each)));
  // The library takes what proto-loader gives, and reads nothing of it but the descriptors.
  const format = 'Protocol Buffer 3 EnumDescriptorProto' as const;
  const descriptors = { format, type: {}, fileDescriptorProtos };
  const parts: Part[] = [];
  new ReflectionService({ descriptors }, { services }).addToServer({
    addService: (definition, implementation) => parts.push({ definition, implementation }),
  });
  return parts;
}

/** @returns the full name of a service, as in `slipway.node.v1.NodeAgentService` */
export function serviceName(definition: ServiceDefinition): string {
  return Object.values(definition)[0]?.path.split('/')[1] ?? '';
}
