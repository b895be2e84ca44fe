// Replies as JSON for programs: the JSON form that protobuf defines, with every field of a message, so that names and
// kinds of values are those of the contract. Times are RFC 3339, durations "1.5s", 64-bit numbers texts.

import {
  createFileRegistry,
  type FileRegistry,
  fromBinary,
  type JsonValue,
  toJson,
} from '@bufbuild/protobuf';
import { descriptorSet } from '../../shared/wire/descriptors.js';

/** A kind of message, as generated code has it. */
export interface MessageKind<T> {
  encode(message: T): { finish(): Uint8Array };
}

let registry: FileRegistry | undefined;

/** @param name of the message: `slipway.provisioner.v1.Event` */
export function toDocument<T>(name: string, kind: MessageKind<T>, message: T): JsonValue {
  registry ??= createFileRegistry(descriptorSet());
  const description = registry.getMessage(name);
  if (description === undefined) throw new Error(`proto/descriptors.binpb has no message ${name}`);
  const decoded = fromBinary(description, kind.encode(message).finish());
  return toJson(description, decoded, { registry, alwaysEmitImplicit: true });
}
