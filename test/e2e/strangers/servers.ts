// Servers of strangers: they listen where they should not, answer what they like, and remember every connection and
// all that they were told over it.

import { type AddressInfo, connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import { Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { TestCertificate } from '../../fakes/certificates.js';
import { asItIs, type MetadataEntries, RefusedCall } from './wire.js';

/** A call as it came. */
export interface HeardCall {
  /** As in `/slipway.node.v1.NodeAgentService/Identify`. */
  readonly path: string;
  readonly metadata: MetadataEntries;
  readonly request: Buffer;
}

/** @throws RefusedCall, which is passed on */
export type AnswerCall = (call: HeardCall) => Buffer | Promise<Buffer>;

export interface ListeningPlace {
  readonly host: string;
  /** Any where absent. */
  readonly port?: number;
}

/** All that provisioners call. */
export const agentPaths = [
  ...['Identify', 'GetJwt', 'GenerateEd25519Key', 'GetInventory', 'GenerateCsr', 'Configure', 'Restart'],
  ...['Shutdown', 'GetRunStatus'],
].map((method) => `/slipway.node.v1.NodeAgentService/${method}`);

/** A gRPC server, encrypted, that takes any bytes. */
export class StrangersServer {
  /** Calls in the order in which they came. */
  readonly calls: HeardCall[] = [];
  /** TCP connections so far. */
  connections = 0;
  readonly #server = new Server();
  #address = '';
  #closeListener = () => {};

  /** @param paths of the methods that it has */
  static async start(
    place: ListeningPlace,
    certificate: Pick<TestCertificate, 'certificatePem' | 'keyPem'>,
    paths: readonly string[],
    answer: AnswerCall,
  ): Promise<StrangersServer> {
    const started = new StrangersServer();
    started.#serve(paths, answer);
    const pair = {
      private_key: Buffer.from(certificate.keyPem),
      cert_chain: Buffer.from(certificate.certificatePem),
    };
    const injector = started.#server.createConnectionInjector(ServerCredentials.createSsl(null, [pair]));
    const listener = await listen(place, { pauseOnConnect: true }, (socket) => {
      started.connections++;
      injector.injectConnection(socket);
      socket.resume();
    });
    started.#address = listener.address;
    started.#closeListener = listener.close;
    onTestFinished(() => started.stop());
    return started;
  }

  /** host:port. */
  get address(): string {
    return this.#address;
  }

  /** @returns the names of the methods that were called, in order */
  get methods(): string[] {
    return this.calls.map(({ path }) => methodOf(path));
  }

  /** @returns all that it was told, as text in which bytes are hex as well */
  get heard(): string {
    return this.calls
      .flatMap(({ path, metadata, request }) => [
        path,
        JSON.stringify(metadata),
        request.toString('latin1'),
        request.toString('hex'),
      ])
      .join('\n');
  }

  /** Closes what is connected, and listens no more. */
  stop(): void {
    this.#closeListener();
    this.#server.forceShutdown();
  }

  #serve(paths: readonly string[], answer: AnswerCall): void {
    const methods = paths.map((path) => ({
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: asItIs,
      requestDeserialize: asItIs,
      responseSerialize: asItIs,
      responseDeserialize: asItIs,
    }));
    const take = (path: string) => {
      return (
        { metadata, request }: ServerUnaryCall<Buffer, Buffer>,
        reply: (error: object | null, bytes?: Buffer) => void,
      ) => {
        const entries = Object.entries(metadata.getMap()).map(
          ([key, value]) => [key, String(value)] as const,
        );
        const call = { path, metadata: Object.fromEntries(entries), request };
        this.calls.push(call);
        Promise.resolve(call)
          .then(answer)
          .then(
            (bytes) => reply(null, bytes),
            (error: unknown) => reply(inTurn(error)),
          );
      };
    };
    const named = <T>(of: (path: string) => T) =>
      Object.fromEntries(paths.map((path) => [methodOf(path), of(path)]));
    this.#server.addService(
      named((path) => methods.find((method) => method.path === path) ?? methods[0]) as never,
      named(take) as never,
    );
  }
}

/** @returns the last part of a path */
export function methodOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function inTurn(error: unknown): object {
  if (!(error instanceof RefusedCall)) return { code: status.INTERNAL, details: String(error) };
  const { code, details, metadata } = error.asItCame;
  return { code, details, metadata };
}

/** Listens until the test is over, or it is closed, together with what is connected. */
export async function listen(
  { host, port = 0 }: ListeningPlace,
  options: { readonly pauseOnConnect?: boolean },
  connected: (socket: Socket) => void,
): Promise<{ readonly address: string; readonly close: () => void }> {
  const sockets = new Set<Socket>();
  const server: NetServer = createServer(options, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    connected(socket);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = `${host}:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  return { address, close };
}

/** @returns host:port of what passes on each connection, so that it seems to come from another address */
export async function passOn(to: string, localAddress: string): Promise<string> {
  const [host = '', port = ''] = to.split(':');
  const { address } = await listen({ host: '127.0.0.1' }, {}, (inner) => {
    const outer = connect({ host, port: Number(port), localAddress });
    outer.on('error', () => inner.destroy());
    inner.once('close', () => outer.destroy());
    outer.once('close', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  });
  return address;
}
