// Channels to nodes: whom they trust, and what whoever is not trusted gets to hear.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Metadata, Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDialer } from '../../services/provisioner/run/dialer.js';
import { type CallFailure, type NodeAddress, NodeCallError } from '../../services/provisioner/run/node.js';
import { systemClock } from '../../shared/clock.js';
import {
  GetRunStatusResponse,
  IdentifyResponse,
  NodeAgentServiceService,
  RunStage,
} from '../../shared/gen/slipway/node/v1/node.js';
import { readNodeMetadata } from '../../shared/grpc/node-metadata.js';
import { type Identity, newBootId, newRunId, parseIdentity } from '../../shared/identity.js';
import { parseCidr } from '../../shared/net/dial-policy.js';
import { Secret } from '../../shared/secret.js';
import { verifyProof } from '../../shared/trust/proof.js';
import { makeCertificate, type TestCertificate } from '../fakes/certificates.js';

const [own, another] = await Promise.all([
  makeCertificate({ name: 'n1' }),
  makeCertificate({ name: 'n1', notAfter: new Date(Date.now() - 1000) }),
]);

const caller = {
  identity: parseIdentity('n1.example.net') as Identity,
  bootId: newBootId(),
  challenge: Buffer.alloc(32, 7),
  runId: newRunId(),
  fence: 1_893_456_000_000n,
  secret: new Secret('s3cret'),
};

const limits = (timeoutMs = 5_000) => ({ timeoutMs, signal: new AbortController().signal });

/** An agent that answers Identify and GetRunStatus; without a certificate it speaks in the clear. */
async function serve(certificate?: TestCertificate): Promise<{ address: string; heard: Metadata[] }> {
  const heard: Metadata[] = [];
  const { identify, getRunStatus } = NodeAgentServiceService;
  const server = new Server();
  const reply =
    (message: object) =>
    (call: { readonly metadata: Metadata }, callback: (error: null, reply: object) => void) => {
      heard.push(call.metadata);
      callback(null, message);
    };
  const { identity, bootId, challenge } = caller;
  server.addService({ identify, getRunStatus } as unknown as ServiceDefinition, {
    identify: reply(IdentifyResponse.fromPartial({ identity, bootId, challenge })),
    getRunStatus: reply(GetRunStatusResponse.fromPartial({ stage: RunStage.NONE })),
  });
  onTestFinished(() => server.forceShutdown());
  const credentials =
    certificate === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [
          {
            private_key: Buffer.from(certificate.keyPem),
            cert_chain: Buffer.from(certificate.certificatePem),
          },
        ]);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  return { address: `127.0.0.1:${port}`, heard };
}

function open(node: NodeAddress, tlsMode: 'required' | 'insecure' = 'required') {
  const agent = createDialer({
    site: 'test',
    provisioner: 'p1',
    maxInventoryBytes: 1 << 20,
    networks: [parseCidr('127.0.0.0/8')],
    tlsMode,
    clock: systemClock,
    observer: { observe: () => {} },
  })(node);
  onTestFinished(() => agent.close());
  return agent;
}

async function failureOf(call: Promise<unknown>): Promise<CallFailure> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof NodeCallError)) throw new Error(`expected a NodeCallError, got ${String(error)}`);
  return error.failure;
}

/** Whether a proof that was shown is one for a channel to this certificate. */
function isBoundTo(metadata: Metadata | undefined, certificateSha256: string): boolean {
  if (metadata === undefined) throw new Error('nothing was heard');
  const { identity, runId, challenge } = caller;
  const input = { secret: 's3cret', identity, runId, challenge, certificateSha256 };
  return verifyProof(readNodeMetadata(metadata).proof, input);
}

describe('a node whose certificate is known', () => {
  it.each(['required', 'insecure'] as const)(
    'is spoken to over TLS, tls.mode %s; proofs are bound to it',
    async (mode) => {
      const { address, heard } = await serve(own);
      const agent = open({ address, certificateSha256: own.sha256 }, mode);
      expect((await agent.identify(limits())).identity).toBe(caller.identity);
      await agent.getRunStatus(caller, limits());
      expect(isBoundTo(heard[1], own.sha256)).toBe(true);
      expect(isBoundTo(heard[1], '')).toBe(false);
    },
  );

  it('is known by its certificate alone: that it has expired does not matter', async () => {
    const { address } = await serve(another);
    const agent = open({ address, certificateSha256: another.sha256 });
    expect((await agent.identify(limits())).identity).toBe(caller.identity);
  });

  it('is another boot, or nobody that is known, where it shows another one: it hears nothing', async () => {
    const { address, heard } = await serve(another);
    const agent = open({ address, certificateSha256: own.sha256 });
    for (let turn = 0; turn < 3; turn += 1) {
      const failure = await failureOf(agent.identify(limits()));
      expect(failure).toMatchObject({ kind: 'NOT_SENT', code: 'UNAVAILABLE', anotherCertificate: true });
    }
    expect(await failureOf(agent.restart(caller, 0, limits()))).toMatchObject({ anotherCertificate: true });
    expect(heard).toEqual([]);
  });

  it('is not spoken to in the clear', async () => {
    const { address, heard } = await serve();
    const agent = open({ address, certificateSha256: own.sha256 }, 'insecure');
    expect(await failureOf(agent.identify(limits()))).toMatchObject({ kind: 'NOT_SENT' });
    expect(heard).toEqual([]);
  });

  it('costs no socket, and no longer than the call may take, where it stalls the handshake', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}).resume());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const agent = open({ address: `127.0.0.1:${port}`, certificateSha256: own.sha256 });
    const startedAt = systemClock.monotonic();
    expect(await failureOf(agent.identify(limits(300)))).toMatchObject({
      kind: 'NOT_SENT',
      code: 'DEADLINE_EXCEEDED',
    });
    expect(systemClock.monotonic() - startedAt).toBeLessThan(3_000);
    agent.close();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    expect(sockets.length).toBeGreaterThan(0);
  });
});

describe('a node that may have booted anew', () => {
  it('is taken with whatever certificate it has, and proofs are bound to that one', async () => {
    const { address, heard } = await serve(another);
    const agent = open({ address, certificateSha256: own.sha256, anyBoot: true });
    await agent.identify(limits());
    await agent.getRunStatus(caller, limits());
    expect(isBoundTo(heard[1], another.sha256)).toBe(true);
  });
});

describe('a node without a certificate', () => {
  it('is not dialled where TLS is required', async () => {
    const { address } = await serve();
    expect(() => open({ address, certificateSha256: '' })).toThrow(/its certificate is not known/);
  });

  it('is spoken to in the clear where that is allowed; proofs are bound to nothing', async () => {
    const { address, heard } = await serve();
    await open({ address, certificateSha256: '' }, 'insecure').getRunStatus(caller, limits());
    expect(isBoundTo(heard[0], '')).toBe(true);
  });
});
