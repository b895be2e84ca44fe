// Certificates and CAs are changed while services run: what is connected stays connected, and what connects from
// then on uses what is there then.

import { connect as connectTcp } from 'node:net';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import {
  DiscoverResponse,
  NodeDiscoveryServiceClient,
  NodeDiscoveryServiceService,
  type WatchNodesResponse,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { callUnary } from '../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';
import { serverStream, unary, unimplemented } from '../../shared/grpc/handler.js';
import { startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';
import { certificateAuthenticator } from '../../shared/tls/certificate-authenticator.js';
import { registryCredentials, serviceCredentials } from '../../shared/tls/channel-credentials.js';
import { defaultRolePatterns } from '../../shared/tls/roles.js';
import { anchoredServerCredentials, mutualServerCredentials } from '../../shared/tls/server-credentials.js';
import { makeAuthority, makeCertificate, type TestCertificate } from '../fakes/certificates.js';
import { deferred, numbered, numberOf } from './grpc-support.js';
import { startPeer } from './peers.js';
import { type Held, hold, ofService } from './tls-support.js';

const log = silentLogger();

/** A service that streams numbers when it is told to, and a watcher of it. */
interface Stage {
  readonly service: Held;
  readonly client: Held;
  /** Where consumers and nodes are served. */
  readonly address: string;
  readonly nodes: string;
  /** Sends the next number to every watcher. */
  emit(): void;
}

let oldCa: TestCertificate;
let newCa: TestCertificate;
let stage: Stage;

const discovery = (issuer: TestCertificate) => makeCertificate({ issuer, ...ofService('discovery') });
const provisioner = (issuer: TestCertificate) => makeCertificate({ issuer, ...ofService('provisioner') });

beforeEach(async () => {
  oldCa = await makeAuthority({ name: 'site CA' });
  newCa = await makeAuthority({ name: 'site CA' });
  stage = await setStage();
});

async function setStage(): Promise<Stage> {
  const service = await hold(await discovery(oldCa), [oldCa]);
  const client = await hold(await provisioner(oldCa), [oldCa]);
  const watchers = new Set<() => void>();
  let number = 0;
  const implementation = {
    watchNodes: serverStream<object, WatchNodesResponse>(log, async (_request, { signal }, write) => {
      await new Promise<never>((_resolve, reject) => {
        watchers.add(() => void write(numbered(number)).catch(reject));
        signal.addEventListener('abort', () => reject(signal.reason));
        void write(numbered(0)).catch(reject);
      });
    }),
    listNodes: unimplemented('ListNodes'),
    discover: unary(log, () => DiscoverResponse.fromPartial({})),
  };
  const serving = { listen: '127.0.0.1:0', log, reflection: false } as const;
  const consumers = await startServer({
    ...serving,
    services: [
      {
        definition: NodeDiscoveryServiceService,
        implementation,
        access: { WatchNodes: ['provisioner'], ListNodes: ['provisioner'], Discover: ['provisioner'] },
      },
    ],
    credentials: mutualServerCredentials(service.files),
    authenticator: certificateAuthenticator(defaultRolePatterns, systemClock),
  });
  const nodes = await startServer({
    ...serving,
    services: [
      {
        definition: NodeDiscoveryServiceService,
        implementation,
        access: { WatchNodes: 'OPEN', ListNodes: 'OPEN', Discover: 'OPEN' },
      },
    ],
    credentials: anchoredServerCredentials(service.files),
  });
  onTestFinished(async () => {
    await Promise.all([consumers.stop(0), nodes.stop(0)]);
  });
  const emit = () => {
    number++;
    for (const send of watchers) send();
  };
  return { service, client, address: consumers.address, nodes: nodes.address, emit };
}

async function change({ folder, files }: Held, certificate: TestCertificate, trusted: TestCertificate[]) {
  folder.put(certificate, trusted);
  await files.refresh();
  expect(files.current.certificatePem).toBe(certificate.certificatePem);
}

function connect(address: string, channel = serviceCredentials(stage.client.files, 'discovery')) {
  const client = new NodeDiscoveryServiceClient(address, channel, serviceChannelOptions);
  onTestFinished(() => client.close());
  return client;
}

/** A call over a connection of its own. */
async function call(address = stage.address, channel = serviceCredentials(stage.client.files, 'discovery')) {
  const client = connect(address, channel);
  await callUnary(client.discover.bind(client), {}, { timeoutMs: 10_000 });
}

/** An open watch that has heard once. */
class Watch {
  readonly #stream: ClientReadableStream<WatchNodesResponse>;
  readonly #ended: Promise<never>;

  private constructor(client: NodeDiscoveryServiceClient) {
    this.#stream = client.watchNodes({ resume: undefined, filter: undefined });
    this.#ended = new Promise((_resolve, reject) => this.#stream.on('error', reject));
    this.#ended.catch(() => {});
    onTestFinished(() => this.#stream.cancel());
  }

  static async open(client: NodeDiscoveryServiceClient): Promise<Watch> {
    const watch = new Watch(client);
    await watch.next();
    return watch;
  }

  /** The next number; rejects where the stream has ended. */
  next(): Promise<number> {
    const heard = new Promise<number>((resolve) =>
      this.#stream.once('data', (message: WatchNodesResponse) => resolve(numberOf(message))),
    );
    return Promise.race([heard, this.#ended]);
  }
}

test('a new certificate of the same CA is shown to who connects, and nobody is cut off', async () => {
  const watch = await Watch.open(connect(stage.address));
  const { certificatePem } = stage.service.files.current;
  await change(stage.service, await discovery(oldCa), [oldCa]);
  expect(stage.service.files.current.certificatePem).not.toBe(certificatePem);
  await call();
  const heard = watch.next();
  stage.emit();
  expect(await heard).toBe(1);
});

test('a CA is changed in three moves, while a watch stays open', async () => {
  const watch = await Watch.open(connect(stage.address));
  const asNode = (ca: TestCertificate) => registryCredentials({ kind: 'HASH', caSha256: ca.sha256 });
  const both = [oldCa, newCa];
  // Both are trusted, then the new one issues, then the old one goes.
  const moves = [
    [await discovery(oldCa), both, await provisioner(oldCa), both],
    [await discovery(newCa), both, await provisioner(oldCa), both],
    [await discovery(newCa), both, await provisioner(newCa), both],
    [await discovery(newCa), [newCa], await provisioner(newCa), [newCa]],
  ] as const;
  for (const [index, [ofServer, serverTrusts, ofClient, clientTrusts]] of moves.entries()) {
    await change(stage.service, ofServer, [...serverTrusts]);
    await call();
    await change(stage.client, ofClient, [...clientTrusts]);
    await call();
    await call(stage.nodes, asNode(index === 0 ? oldCa : newCa));
    const heard = watch.next();
    stage.emit();
    expect(await heard).toBe(index + 1);
  }
  await expect(call(stage.nodes, asNode(oldCa))).rejects.toThrow(/presents no certificate with the hash/);
});

test('credentials that were made before a change use what is there after it', async () => {
  const channel = serviceCredentials(stage.client.files, 'discovery');
  await call(stage.address, channel);
  await change(stage.client, await provisioner(newCa), [oldCa, newCa]);
  await expect(call(stage.address, channel)).rejects.toMatchObject({ reason: 'CERTIFICATE_INVALID' });
  await change(stage.service, await discovery(newCa), [newCa]);
  await call(stage.address, channel);
});

test('who is of a CA that is gone makes no more calls on the connection that it has', async () => {
  const old = connect(stage.address);
  const ofNew = await hold(await provisioner(newCa), [oldCa, newCa]);
  await change(stage.service, await discovery(oldCa), [oldCa, newCa]);
  const young = connect(stage.address, serviceCredentials(ofNew.files, 'discovery'));
  const watch = await Watch.open(old);
  const discover = (client: NodeDiscoveryServiceClient) =>
    callUnary(client.discover.bind(client), {}, { timeoutMs: 10_000 });
  await discover(old);
  await discover(young);
  await change(stage.service, await discovery(newCa), [newCa]);
  await expect(discover(old)).rejects.toMatchObject({ reason: 'CERTIFICATE_INVALID' });
  await discover(young);
  const heard = watch.next();
  stage.emit();
  expect(await heard).toBe(1);
});

test('who is of a CA that went during its handshake makes no calls either', async () => {
  const shaking = deferred();
  const gone = deferred();
  const { address } = await startPeer((near) => {
    const far = connectTcp(Number(stage.address.split(':')[1]), '127.0.0.1');
    onTestFinished(() => void far.destroy());
    far.on('error', () => {});
    far.pipe(near);
    near.once('data', (hello) => {
      far.write(hello);
      near.on('data', (bytes) => {
        shaking.resolve();
        void gone.promise.then(() => far.write(bytes));
      });
    });
  });
  const called = expect(call(address)).rejects.toMatchObject({ reason: 'CERTIFICATE_INVALID' });
  await shaking.promise;
  await change(stage.service, await discovery(newCa), [newCa]);
  gone.resolve();
  await called;
});

test('who is of a CA that is gone connects no more', async () => {
  await call();
  const { certificatePem, keyPem, caPem } = stage.client.files.current;
  expect(caPem).toBe(oldCa.certificatePem);
  await change(stage.service, await discovery(newCa), [newCa]);
  stage.client.folder.write('ca', oldCa.certificatePem + newCa.certificatePem);
  await stage.client.files.refresh();
  expect(stage.client.files.current).toMatchObject({ certificatePem, keyPem });
  await expect(call()).rejects.toMatchObject({ reason: 'CERTIFICATE_INVALID' });
});

test('files that are half-written or do not fit together disturb nobody', async () => {
  const fresh = await discovery(oldCa);
  const { folder, files } = stage.service;
  const before = files.current;
  folder.write('cert', fresh.certificatePem.slice(0, 200));
  await files.refresh();
  await call();
  folder.write('cert', fresh.certificatePem);
  await files.refresh();
  await call();
  expect(files.current).toBe(before);
  folder.write('key', fresh.keyPem);
  await files.refresh();
  await call();
  expect(files.current.certificatePem).toBe(fresh.certificatePem);
});
