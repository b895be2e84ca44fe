import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { type Metadata, Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { createDialer } from '../../services/provisioner/run/dialer.js';
import {
  type CallFailure,
  type CallLimits,
  type Dial,
  NodeCallError,
} from '../../services/provisioner/run/node.js';
import type { AttemptObserver } from '../../services/provisioner/run/node-client.js';
import { systemClock } from '../../shared/clock.js';
import {
  ConfigureResponse,
  GetInventoryResponse,
  IdentifyResponse,
  NodeAgentServiceService,
} from '../../shared/gen/slipway/node/v1/node.js';
import { RpcError, toStatus } from '../../shared/grpc/errors.js';
import { readNodeMetadata } from '../../shared/grpc/node-metadata.js';
import { type Identity, newBootId, newRunId, parseIdentity } from '../../shared/identity.js';
import { parseCidr } from '../../shared/net/dial-policy.js';
import { Secret } from '../../shared/secret.js';
import { verifyProof } from '../../shared/trust/proof.js';

/** What a scripted agent answers one call: bytes as they are, an error, or nothing for ever. */
type Answer = Buffer | Error | 'NOTHING';

interface Heard {
  readonly rpc: string;
  readonly metadata: Metadata;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const maxInventoryBytes = 2 << 20;
const loopback = [parseCidr('127.0.0.0/8')];

function dialer(options: { readonly networks?: readonly ReturnType<typeof parseCidr>[] } = {}) {
  const observed: string[] = [];
  const observer: AttemptObserver = { observe: (rpc, code) => observed.push(`${rpc} ${code}`) };
  const dial = createDialer({
    site: 'test',
    provisioner: 'p1',
    maxInventoryBytes,
    networks: options.networks ?? loopback,
    tlsMode: 'insecure',
    clock: systemClock,
    observer,
  });
  return { dial, observed };
}

function open(dial: Dial, port: number) {
  const agent = dial({ address: `127.0.0.1:${port}`, certificateSha256: '' });
  closers.push(() => agent.close());
  return agent;
}

/** Serves the node contract with replies that are not checked by anybody. */
async function serve(answer: (rpc: string) => Answer, port = 0): Promise<{ port: number; heard: Heard[] }> {
  const heard: Heard[] = [];
  const raw = Object.fromEntries(
    Object.entries(NodeAgentServiceService).map(([rpc, method]) => [
      rpc,
      { ...method, responseSerialize: (bytes: Buffer) => bytes },
    ]),
  ) as ServiceDefinition;
  const implementation = Object.fromEntries(
    Object.keys(raw).map((rpc) => [
      rpc,
      (call: { metadata: Metadata }, callback: (error: object | null, value?: Buffer) => void) => {
        heard.push({ rpc, metadata: call.metadata });
        const given = answer(rpc);
        if (given === 'NOTHING') return;
        if (given instanceof Error) callback(toStatus(given));
        else callback(null, given);
      },
    ]),
  );
  const server = new Server({ 'grpc.max_send_message_length': -1 });
  server.addService(raw, implementation);
  closers.push(() => server.forceShutdown());
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { port: bound, heard };
}

async function listen(onSocket: (socket: Socket) => void): Promise<{ port: number; server: NetServer }> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, server };
}

const caller = {
  identity: parseIdentity('n1.example.net') as Identity,
  bootId: newBootId(),
  challenge: Buffer.alloc(32, 7),
  runId: newRunId(),
  fence: 1_893_456_000_000n,
  secret: new Secret('s3cret'),
};

function limits(timeoutMs = 5_000, signal: AbortSignal = new AbortController().signal): CallLimits {
  return { timeoutMs, signal };
}

async function failureOf(call: Promise<unknown>): Promise<CallFailure> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof NodeCallError)) throw new Error(`expected a NodeCallError, got ${String(error)}`);
  return error.failure;
}

function inventoryOf(bytes: number): Buffer {
  const empty = GetInventoryResponse.fromPartial({ factsJson: '{}' });
  const room = bytes - GetInventoryResponse.encode(empty).finish().length - 100;
  const filled = GetInventoryResponse.fromPartial({ factsJson: '{}', machinesJson: `"${'x'.repeat(room)}"` });
  const encoded = Buffer.from(GetInventoryResponse.encode(filled).finish());
  const missing = bytes - encoded.length;
  const exact = GetInventoryResponse.fromPartial({
    factsJson: '{}',
    machinesJson: `"${'x'.repeat(room + missing)}"`,
  });
  return Buffer.from(GetInventoryResponse.encode(exact).finish());
}

describe('calls to a node', () => {
  it('carry who calls, and a proof of the secret instead of the secret; Identify carries nothing', async () => {
    const { dial, observed } = dialer();
    const reply = IdentifyResponse.fromPartial({
      identity: caller.identity,
      bootId: caller.bootId,
      challenge: caller.challenge,
      provisioning: true,
    });
    const { port, heard } = await serve((rpc) =>
      rpc === 'identify' ? Buffer.from(IdentifyResponse.encode(reply).finish()) : inventoryOf(500),
    );
    const agent = open(dial, port);
    expect(await agent.identify(limits())).toMatchObject({ identity: caller.identity, provisioning: true });
    await agent.getInventory(caller, limits());

    const [identify, inventory] = heard;
    expect(readNodeMetadata(identify?.metadata as Metadata)).toMatchObject({ proof: '', run: '' });
    const read = readNodeMetadata(inventory?.metadata as Metadata);
    expect(read).toMatchObject({
      identity: caller.identity,
      boot: caller.bootId,
      site: 'test',
      provisioner: 'p1',
      run: caller.runId,
      fence: caller.fence,
    });
    const { identity, runId, challenge } = caller;
    const input = { secret: 's3cret', identity, runId, challenge, certificateSha256: '' };
    expect(verifyProof(read.proof, input)).toBe(true);
    expect(JSON.stringify(inventory?.metadata.getMap())).not.toContain('s3cret');
    expect(observed).toEqual(['Identify OK', 'GetInventory OK']);
  });

  it('read what the node refuses with', async () => {
    const { dial, observed } = dialer();
    const { port } = await serve(
      () =>
        new RpcError(status.ABORTED, 'another run', {
          reason: 'STALE_FENCE',
          metadata: { fence: '17', idle_seconds: '42' },
          retryAfterMs: 1_500,
        }),
    );
    expect(await failureOf(open(dial, port).restart(caller, 1_000, limits()))).toEqual({
      kind: 'STATUS',
      code: 'ABORTED',
      reason: 'STALE_FENCE',
      metadata: { fence: '17', idle_seconds: '42' },
      retryAfterMs: 1_500,
      message: 'another run',
    });
    expect(observed).toEqual(['Restart ABORTED']);
  });

  it('end at their deadline', async () => {
    const { dial } = dialer();
    const { port } = await serve(() => 'NOTHING');
    const failure = await failureOf(open(dial, port).configure(caller, emptyConfiguration, limits(100)));
    expect(failure).toMatchObject({ kind: 'STATUS', code: 'DEADLINE_EXCEEDED' });
  });

  it('are cut off by their signal, with its reason', async () => {
    const { dial, observed } = dialer();
    const aborter = new AbortController();
    const { port } = await serve(() => {
      setImmediate(() => aborter.abort(new Error('the run is over')));
      return 'NOTHING';
    });
    const call = open(dial, port).getRunStatus(caller, limits(5_000, aborter.signal));
    await expect(call).rejects.toThrow('the run is over');
    expect(observed).toEqual(['GetRunStatus ']);
  });
});

const emptyConfiguration = {
  configurationJson: '{"a":"b"}',
  keyPem: '',
  certificatePem: '',
  caPem: '',
  sslDir: '',
  nodeEcdhPublic: Buffer.alloc(0),
  provisionerEcdhPublic: Buffer.alloc(0),
  serverJwt: '',
  actionPolicies: new Map(),
  opaPolicies: new Map(),
};

describe('what a node sends', () => {
  it.each([
    ['bytes that are no message', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    [
      'a message of another kind',
      Buffer.from(
        ConfigureResponse.encode({
          message: 'hello',
          configurationDigest: Buffer.alloc(3),
        }).finish(),
      ),
    ],
    ['nothing', Buffer.alloc(0)],
  ])('is refused where it is %s', async (_name, bytes) => {
    const { dial } = dialer();
    const { port } = await serve(() => bytes);
    const agent = open(dial, port);
    expect(await failureOf(agent.identify(limits()))).toMatchObject({ kind: 'REPLY_INVALID' });
    expect(await failureOf(agent.getRunStatus(caller, limits()))).toMatchObject({ kind: 'REPLY_INVALID' });
    expect(await failureOf(agent.configure(caller, emptyConfiguration, limits()))).toMatchObject({
      kind: 'REPLY_INVALID',
    });
  });

  it('is refused where it is no message, also where nothing is needed of it', async () => {
    const { dial } = dialer();
    let bytes = Buffer.from([0xff, 0xff, 0xff, 0xff]);
    const { port } = await serve(() => bytes);
    const agent = open(dial, port);
    const release = { repository: 'https://packages.example.net', version: '2.0' };
    const calls = [
      () => agent.restart(caller, 0, limits()),
      () => agent.shutdown(caller, limits()),
      () => agent.updateRelease(caller, release, limits()),
    ];
    for (const call of calls) expect(await failureOf(call())).toMatchObject({ kind: 'REPLY_INVALID' });
    bytes = Buffer.alloc(0);
    await Promise.all(calls.map((call) => call()));
  });

  it('may be as large as max_inventory where it is an inventory, and no larger', async () => {
    const { dial } = dialer();
    let bytes = inventoryOf(maxInventoryBytes);
    const { port } = await serve(() => bytes);
    const agent = open(dial, port);
    expect(bytes).toHaveLength(maxInventoryBytes);
    expect((await agent.getInventory(caller, limits())).factsJson).toBe('{}');
    bytes = inventoryOf(maxInventoryBytes + 1);
    expect(await failureOf(agent.getInventory(caller, limits()))).toMatchObject({
      kind: 'STATUS',
      code: 'RESOURCE_EXHAUSTED',
    });
  });

  it('may be 1 MiB where it is no inventory', async () => {
    const { dial } = dialer();
    const { port } = await serve(() => inventoryOf((1 << 20) + 1));
    const agent = open(dial, port);
    expect(await failureOf(agent.restart(caller, 0, limits()))).toMatchObject({ kind: 'REPLY_TOO_LARGE' });
    expect(await failureOf(agent.identify(limits()))).toMatchObject({ kind: 'REPLY_TOO_LARGE' });
  });

  it('fails the call where it is not even gRPC', async () => {
    const { dial } = dialer();
    const { port } = await listen((socket) => {
      socket.on('error', () => {});
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
    });
    expect(await failureOf(open(dial, port).identify(limits(1_000)))).toMatchObject({
      code: expect.stringMatching(/UNAVAILABLE|DEADLINE_EXCEEDED/),
    });
  });
});

describe('a node that is not there', () => {
  it('is known not to have been reached', async () => {
    const { dial, observed } = dialer();
    const { port, server } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(open(dial, port).identify(limits()))).toMatchObject({
      kind: 'NOT_SENT',
      code: 'UNAVAILABLE',
    });
    expect(observed).toEqual(['Identify UNAVAILABLE']);
  });

  it('costs no socket where it accepts connections and says nothing', async () => {
    const { dial } = dialer();
    const sockets: Socket[] = [];
    const { port } = await listen((socket) => {
      socket.on('error', () => {}).resume();
      sockets.push(socket);
    });
    const agent = open(dial, port);
    expect(await failureOf(agent.identify(limits(200)))).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    agent.close();
    await Promise.all(
      sockets.map(
        (socket) => new Promise((resolve) => (socket.closed ? resolve(0) : socket.once('close', resolve))),
      ),
    );
    expect(sockets.length).toBeGreaterThan(0);
  });

  it('is reached on the same channel as soon as it is back', async () => {
    const { dial } = dialer();
    const { port, server } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    const agent = open(dial, port);
    await failureOf(agent.restart(caller, 0, limits()));
    await serve(() => Buffer.alloc(0), port);
    const deadline = systemClock.monotonic() + 5_000;
    let reached = false;
    while (!reached && systemClock.monotonic() < deadline) {
      reached = await agent.restart(caller, 0, limits()).then(
        () => true,
        () => new Promise((resolve) => setTimeout(() => resolve(false), 50)),
      );
    }
    expect(reached).toBe(true);
  });

  it.each([
    ['127.0.0.1:7430', 'loopback'],
    ['0.0.0.0:7430', 'unspecified'],
    ['[fe80::1]:7430', 'link-local'],
    ['192.0.2.1:0', 'port 0'],
    ['nonsense', 'no port'],
    ['node.example.net:7430', 'no IP address'],
  ])('is not dialled at %s', async (address, why) => {
    const { dial } = dialer({ networks: [] });
    expect(() => dial({ address, certificateSha256: '' })).toThrow(NodeCallError);
    expect(() => dial({ address, certificateSha256: '' })).toThrow(why);
  });
});
