// How strangers speak: messages and clients made from the .proto files at run time, over channels with Node's own
// TLS. None of it is the services' code, and it checks nothing that the services check.

import { join } from 'node:path';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientReadableStream,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';
import { onTestFinished } from 'vitest';
import { projectRoot } from '../../../cli/launch/project.js';

export type Message = Readonly<Record<string, unknown>>;

const definition = loadSync(
  ['discovery/v1/registry', 'discovery/v1/discovery', 'node/v1/node'].map((file) => `slipway/${file}.proto`),
  {
    includeDirs: [join(projectRoot(), 'proto')],
    keepCase: true,
    enums: String,
    longs: String,
    defaults: true,
    oneofs: true,
  },
);

/** @param type as in `slipway.node.v1.IdentifyResponse` */
export function encode(type: string, message: Message): Buffer {
  return typeOf(type).serialize(message);
}

export function decode(type: string, bytes: Buffer): Message {
  return typeOf(type).deserialize(bytes);
}

function typeOf(name: string): MessageTypeDefinition<Message, Message> {
  const type = definition[name];
  if (type === undefined || !('serialize' in type)) throw new Error(`no message type ${name}`);
  return type as MessageTypeDefinition<Message, Message>;
}

export type MetadataEntries = Readonly<Record<string, string>>;

/** A call that was refused. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  /** gRPC status code. */
  readonly code: number;
  /** The reason in the google.rpc.ErrorInfo that came with it; empty without one. */
  readonly reason: string;
  /** As it came, to be passed on. */
  readonly asItCame: ServiceError;

  constructor(error: ServiceError) {
    super(error.details);
    this.code = error.code;
    this.asItCame = error;
    const [details = ''] = error.metadata.get('grpc-status-details-bin');
    const text = Buffer.from(details).toString('latin1');
    // Between the two stand the numbers and lengths of fields.
    this.reason = /google\.rpc\.ErrorInfo.{4,5}?([A-Z_]+)/s.exec(text)?.[1] ?? '';
  }
}

/** A channel of a stranger's to one address, closed after the test. */
export class StrangersChannel {
  readonly #client: Client;

  /** @param address host:port */
  constructor(address: string, credentials: ChannelCredentials, options: ChannelOptions = {}) {
    this.#client = new Client(address, credentials, {
      'grpc.enable_http_proxy': 0,
      'grpc.use_local_subchannel_pool': 1,
      ...options,
    });
    onTestFinished(() => this.#client.close());
  }

  /**
   * Sends bytes to a method, whatever they are.
   *
   * @param path as in `/slipway.node.v1.NodeAgentService/Identify`
   * @throws RefusedCall
   */
  send(path: string, request: Buffer, entries: MetadataEntries = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest<Buffer, Buffer>(
        path,
        asItIs,
        asItIs,
        request,
        metadataOf(entries),
        { deadline: Date.now() + 20_000 },
        (error, reply) => (error === null && reply ? resolve(reply) : reject(refused(error))),
      );
    });
  }

  /**
   * Calls a method of one of Slipway's services.
   *
   * @param method as in `node.v1.NodeAgentService/Identify`
   * @throws RefusedCall
   */
  async call(method: string, request: Message = {}, entries: MetadataEntries = {}): Promise<Message> {
    const [service = '', name = ''] = method.split('/');
    const namespace = `slipway.${service.slice(0, service.lastIndexOf('.'))}`;
    const bytes = encode(`${namespace}.${name}Request`, request);
    const reply = await this.send(`/slipway.${method}`, bytes, entries);
    return decode(`${namespace}.${name}Response`, reply);
  }

  /** Opens a stream of messages. */
  follow(path: string, request: Buffer): ClientReadableStream<Buffer> {
    return this.#client.makeServerStreamRequest<Buffer, Buffer>(
      path,
      asItIs,
      asItIs,
      request,
      new Metadata(),
    );
  }
}

function refused(error: ServiceError | null): Error {
  return error === null ? new Error('neither a reply nor an error') : new RefusedCall(error);
}

export function asItIs(bytes: Buffer): Buffer {
  return bytes;
}

function metadataOf(entries: MetadataEntries): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(entries)) metadata.set(key, value);
  return metadata;
}
