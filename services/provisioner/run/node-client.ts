// Calls to a node over gRPC: metadata with proof and fence, and bounds on what comes back. How the channel is made
// is dialer.ts's matter; tries, and what a failure means, are the callers'.

import { type Client, Metadata } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import {
  ConfigureResponse,
  GenerateCsrRequest,
  GenerateCsrResponse,
  GenerateEd25519KeyResponse,
  GetInventoryResponse,
  GetJwtResponse,
  GetRunStatusResponse,
  IdentifyResponse,
  ReprovisionResponse,
  RestartResponse,
  ShutdownResponse,
  NodeAgentServiceService as service,
  UpdateReleaseResponse,
} from '../../../shared/gen/slipway/node/v1/node.js';
import { callUnary, type UnaryMethod } from '../../../shared/grpc/call.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { writeNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import { toDuration } from '../../../shared/wire/time.js';
import { CallerProof } from './caller-proof.js';
import type { Configuration } from './configuration.js';
import {
  ReplyError,
  toCallFailure,
  toConfigureRequest,
  toDigest,
  toInventory,
  toNodeCsr,
  toNodeDescription,
  toNodeKey,
  toNodeToken,
  toRestartNotice,
  toRunStatus,
} from './convert.js';
import type { Inventory } from './inventory.js';
import {
  type CallCode,
  type Caller,
  type CallFailure,
  type CallLimits,
  type NodeAgent,
  NodeCallError,
  type NodeCsr,
  type NodeDescription,
  type NodeKey,
  type NodeToken,
  type Release,
  type RestartNotice,
  type RunStatus,
} from './node.js';

/** The RPCs that are called here, by their names on the wire. */
export type NodeRpc =
  | 'Identify'
  | 'GetJwt'
  | 'GenerateEd25519Key'
  | 'GetInventory'
  | 'GenerateCsr'
  | 'UpdateRelease'
  | 'Configure'
  | 'Restart'
  | 'Shutdown'
  | 'Reprovision'
  | 'GetRunStatus';

/** Told of every attempt of every call. */
export interface AttemptObserver {
  /** @param code empty where the call was cut off by its caller */
  observe(rpc: NodeRpc, code: CallCode | 'OK' | '', durationMs: number): void;
}

export interface NodeClientOptions {
  readonly site: string;
  /** This provisioner's instance id. */
  readonly provisioner: string;
  /** Greatest inventory that is taken: bytes. */
  readonly maxInventoryBytes: number;
  readonly clock: Clock;
  readonly observer: AttemptObserver;
}

/** Greatest reply but for an inventory: bytes (design, section 6). */
export const replyBytes = 1 << 20;

interface Method<Req> {
  readonly path: string;
  readonly requestSerialize: (request: Req) => Buffer;
}

interface Exchange<Req, T> {
  readonly rpc: NodeRpc;
  readonly method: Method<Req>;
  readonly request: Req;
  readonly caller?: Caller;
  /** Greatest reply that is taken: bytes. */
  readonly maxBytes?: number;
  readonly read: (reply: Buffer) => T;
}

/** The agent at the other end of a client. */
export class NodeClient implements NodeAgent {
  readonly #client: Client;
  readonly #certificateSha256: () => string;
  readonly #options: NodeClientOptions;
  readonly #proof = new CallerProof();

  /** @param certificateSha256 gives the hash of the certificate that the node shows; empty without TLS */
  constructor(client: Client, certificateSha256: () => string, options: NodeClientOptions) {
    this.#client = client;
    this.#certificateSha256 = certificateSha256;
    this.#options = options;
  }

  identify(limits: CallLimits): Promise<NodeDescription> {
    const read = (reply: Buffer) => toNodeDescription(IdentifyResponse.decode(reply));
    return this.#call({ rpc: 'Identify', method: service.identify, request: {}, read }, limits);
  }

  getJwt(caller: Caller, limits: CallLimits): Promise<NodeToken> {
    const read = (reply: Buffer) => toNodeToken(GetJwtResponse.decode(reply));
    return this.#call({ rpc: 'GetJwt', method: service.getJwt, request: {}, caller, read }, limits);
  }

  generateKey(caller: Caller, nonce: Uint8Array, limits: CallLimits): Promise<NodeKey> {
    const method = service.generateEd25519Key;
    const request = { nonce: Buffer.from(nonce) };
    const read = (reply: Buffer) => toNodeKey(GenerateEd25519KeyResponse.decode(reply));
    return this.#call({ rpc: 'GenerateEd25519Key', method, request, caller, read }, limits);
  }

  getInventory(caller: Caller, limits: CallLimits): Promise<Inventory> {
    const read = (reply: Buffer) => toInventory(GetInventoryResponse.decode(reply));
    const maxBytes = this.#options.maxInventoryBytes;
    return this.#call(
      { rpc: 'GetInventory', method: service.getInventory, request: {}, caller, maxBytes, read },
      limits,
    );
  }

  generateCsr(caller: Caller, commonName: string, limits: CallLimits): Promise<NodeCsr> {
    const request = GenerateCsrRequest.fromPartial({ commonName });
    const read = (reply: Buffer) => toNodeCsr(GenerateCsrResponse.decode(reply));
    return this.#call({ rpc: 'GenerateCsr', method: service.generateCsr, request, caller, read }, limits);
  }

  updateRelease(caller: Caller, { repository, version }: Release, limits: CallLimits): Promise<void> {
    const request = { repository, version };
    const method = service.updateRelease;
    return this.#call(
      { rpc: 'UpdateRelease', method, request, caller, read: check(UpdateReleaseResponse) },
      limits,
    );
  }

  configure(caller: Caller, configuration: Configuration, limits: CallLimits): Promise<string> {
    const request = toConfigureRequest(configuration);
    const read = (reply: Buffer) => toDigest(ConfigureResponse.decode(reply));
    return this.#call({ rpc: 'Configure', method: service.configure, request, caller, read }, limits);
  }

  restart(caller: Caller, splayMs: number, limits: CallLimits): Promise<void> {
    const request = { splay: toDuration(splayMs) };
    return this.#call(
      { rpc: 'Restart', method: service.restart, request, caller, read: check(RestartResponse) },
      limits,
    );
  }

  shutdown(caller: Caller, limits: CallLimits): Promise<void> {
    return this.#call(
      { rpc: 'Shutdown', method: service.shutdown, request: {}, caller, read: check(ShutdownResponse) },
      limits,
    );
  }

  reprovision(caller: Caller, limits: CallLimits): Promise<RestartNotice> {
    const read = (reply: Buffer) => toRestartNotice(ReprovisionResponse.decode(reply));
    return this.#call({ rpc: 'Reprovision', method: service.reprovision, request: {}, caller, read }, limits);
  }

  getRunStatus(caller: Caller, limits: CallLimits): Promise<RunStatus> {
    const request = { runId: caller.runId };
    const read = (reply: Buffer) => toRunStatus(GetRunStatusResponse.decode(reply));
    return this.#call({ rpc: 'GetRunStatus', method: service.getRunStatus, request, caller, read }, limits);
  }

  close(): void {
    this.#client.close();
  }

  async #call<Req, T>(exchange: Exchange<Req, T>, limits: CallLimits): Promise<T> {
    const { clock, observer } = this.#options;
    const startedAt = clock.monotonic();
    let code: CallCode | 'OK' | '' = '';
    try {
      const reply = await this.#send(exchange, limits);
      code = 'OK';
      return read(exchange, reply);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const failure = toCallFailure(error);
      code = codeOf(failure);
      throw new NodeCallError(failure, { cause: error });
    } finally {
      observer.observe(exchange.rpc, code, clock.monotonic() - startedAt);
    }
  }

  /** Gives the reply as it came, so that its size is what was received. */
  #send<Req, T>({ method, request, caller }: Exchange<Req, T>, limits: CallLimits): Promise<Buffer> {
    const invoke: UnaryMethod<Req, Buffer> = (message, metadata, options, callback) =>
      this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        (reply) => reply,
        message,
        metadata,
        options,
        (error, reply = Buffer.alloc(0)) => callback(error, reply),
      );
    const metadata = caller === undefined ? new Metadata() : this.#metadata(caller);
    return callUnary(invoke, request, { ...limits, metadata });
  }

  #metadata(caller: Caller): Metadata {
    const { identity, bootId, runId, fence } = caller;
    const { site, provisioner } = this.#options;
    const proof = this.#proof.of(caller, this.#certificateSha256());
    return writeNodeMetadata({ proof, identity, boot: bootId, site, provisioner, run: runId, fence });
  }
}

/** Reads a reply of which nothing is needed; but bytes that are no such message do not say that the node obeys. */
function check(message: { decode(reply: Buffer): unknown }): (reply: Buffer) => void {
  return (reply) => void message.decode(reply);
}

/** @throws NodeCallError where the reply is too large, or not what the contract says */
function read<Req, T>({ rpc, maxBytes = replyBytes, read }: Exchange<Req, T>, reply: Buffer): T {
  if (reply.length > maxBytes) {
    const message = `the reply to ${rpc} has ${reply.length} bytes, more than ${maxBytes}`;
    throw new NodeCallError({ kind: 'REPLY_TOO_LARGE', message });
  }
  try {
    return read(reply);
  } catch (error) {
    const why = error instanceof ReplyError ? error.message : 'it cannot be decoded';
    throw new NodeCallError(
      { kind: 'REPLY_INVALID', message: `the reply to ${rpc}: ${why}` },
      { cause: error },
    );
  }
}

function codeOf(failure: CallFailure): CallCode | 'OK' {
  return failure.kind === 'STATUS' || failure.kind === 'NOT_SENT' ? failure.code : 'OK';
}
