import { createPrivateKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp, type MockNodeApp } from '../../services/mock-node/app.js';
import { parseFlags } from '../../services/mock-node/config.js';
import { parseDenyList } from '../../services/provisioner/enrolment/deny-list.js';
import type { SightedNode } from '../../services/provisioner/fleet/node-event.js';
import { Confirmations } from '../../services/provisioner/run/confirmations.js';
import { createDialer } from '../../services/provisioner/run/dialer.js';
import { Fences } from '../../services/provisioner/run/fences.js';
import { type Dial, type NodeAgent, NodeCallError } from '../../services/provisioner/run/node.js';
import { createAskNode } from '../../services/provisioner/run/probe.js';
import type { RunFeatures } from '../../services/provisioner/run/run-context.js';
import { createRunner } from '../../services/provisioner/run/runner.js';
import { systemClock } from '../../shared/clock.js';
import { type Identity, newBootId } from '../../shared/identity.js';
import { silentLogger } from '../../shared/logger.js';
import { parseHostPort } from '../../shared/net/addresses.js';
import { parseCidr } from '../../shared/net/dial-policy.js';
import { Secret } from '../../shared/secret.js';
import { ed25519KeyFromSeed, rawPublicKey } from '../../shared/trust/raw-keys.js';
import { certificateSha256 } from '../../shared/trust/report-envelope.js';
import { verifyServerToken } from '../../shared/trust/server-token.js';
import { makeCertificate } from '../fakes/certificates.js';
import { FakeHelper } from '../fakes/fake-helper.js';
import { RecordingSink } from '../fakes/recording-sink.js';
import { SiteKeys } from '../fakes/site-keys.js';

const site = new SiteKeys();

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Real agents, each under a loopback address of its own, with a secret; with a token, over TLS. */
async function startNodes(
  count: number,
  token?: string,
): Promise<{ app: MockNodeApp; nodes: SightedNode[] }> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-run-'));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  const secretFile = join(dir, 'secret');
  await writeFile(secretFile, token ?? 's3cret\n');
  const trust =
    token === undefined ? `--tls-mode insecure --secret-file ${secretFile}` : `--jwt-file ${secretFile}`;
  const words = `--listen 0.0.0.0:0 --nodes ${count} --dir ${dir} --start-within 0s ${trust}`;
  const config = parseFlags(words.split(' '), 'host');
  if (config === undefined) throw new Error('no configuration');
  const app = await createApp(config, silentLogger());
  cleanups.push(() => app.stop());
  const port = Object.values(app.addresses)[0]?.split(':').at(-1);
  const nodes = config.identities.map((identity, index) => ({
    identity,
    bootId: newBootId(),
    address: `127.1.0.${index + 1}:${port}`,
    certificateSha256: '',
    // They report nowhere: they are confirmed by asking.
    source: 'PROBED' as const,
    discovery: 'test',
    epoch: '',
  }));
  await waitFor(() => config.identities.every((_, index) => app.swarm.node(index)?.phase === 'PROVISIONING'));
  if (token === undefined) return { app, nodes };
  const hashes = await Promise.all(nodes.map(({ address }) => certificateAt(address)));
  return {
    app,
    nodes: nodes.map((node, index) => ({ ...node, certificateSha256: hashes[index] ?? '' })),
  };
}

/** @returns the hash of the certificate that is shown at an address, as a probe of discovery learns it */
async function certificateAt(address: string): Promise<string> {
  const { host, port } = parseHostPort(address);
  const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return certificateSha256(raw);
}

async function waitFor(condition: () => boolean): Promise<void> {
  const deadline = systemClock.monotonic() + 20_000;
  while (!condition()) {
    if (systemClock.monotonic() > deadline) throw new Error('it does not happen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Loses the first reply of one RPC of each node: before or after the node has it. */
function losing(dial: Dial, rpc: 'configure' | 'restart' | 'shutdown', when: 'BEFORE' | 'AFTER'): Dial {
  return (address) => {
    const agent = dial(address);
    let lost = false;
    const lose = async <T>(call: () => Promise<T>): Promise<T> => {
      if (lost) return await call();
      lost = true;
      if (when === 'AFTER') await call();
      const failure = { kind: 'STATUS', code: 'UNAVAILABLE', reason: '', metadata: {} } as const;
      throw new NodeCallError({ ...failure, retryAfterMs: undefined, message: 'Connection dropped' });
    };
    type Name = typeof rpc;
    const maybe =
      <A extends unknown[], T>(name: Name, call: (...args: A) => Promise<T>) =>
      (...args: A) =>
        name === rpc ? lose(() => call(...args)) : call(...args);
    return {
      identify: (limits) => agent.identify(limits),
      getJwt: (caller, limits) => agent.getJwt(caller, limits),
      generateKey: (caller, nonce, limits) => agent.generateKey(caller, nonce, limits),
      generateCsr: (caller, commonName, limits) => agent.generateCsr(caller, commonName, limits),
      getInventory: (caller, limits) => agent.getInventory(caller, limits),
      updateRelease: (caller, release, limits) => agent.updateRelease(caller, release, limits),
      getRunStatus: (caller, limits) => agent.getRunStatus(caller, limits),
      configure: maybe('configure', (...args: Parameters<NodeAgent['configure']>) =>
        agent.configure(...args),
      ),
      restart: maybe('restart', (...args: Parameters<NodeAgent['restart']>) => agent.restart(...args)),
      shutdown: maybe('shutdown', (...args: Parameters<NodeAgent['shutdown']>) => agent.shutdown(...args)),
      close: () => agent.close(),
    };
  };
}

interface BenchOptions {
  readonly wrap?: (dial: Dial) => Dial;
  readonly tokens?: string[];
  readonly features?: Partial<RunFeatures>;
}

function createBench(options: BenchOptions = {}) {
  const sink = new RecordingSink();
  const helper = new FakeHelper();
  const clock = systemClock;
  const random = Math.random;
  const dial = createDialer({
    site: 'test',
    provisioner: 'p1',
    maxInventoryBytes: 4 << 20,
    networks: [parseCidr('127.0.0.0/8')],
    tlsMode: 'insecure',
    clock,
    observer: { observe: () => {} },
  });
  const tokens = () => (options.tokens ?? ['s3cret']).map((token) => new Secret(token));
  const timeouts = { identifyTimeoutMs: 2_000, rpcTimeoutMs: 5_000 };
  const confirmations = new Confirmations({
    clock,
    events: sink,
    askNode: createAskNode({ dial, tokens, clock, random, ...timeouts }),
    timeoutMs: () => 15_000,
  });
  cleanups.push(async () => confirmations.close());
  const startRun = createRunner({
    dial: options.wrap?.(dial) ?? dial,
    helper,
    events: sink,
    clock,
    random,
    newNonce: () => randomBytes(32),
    log: silentLogger(),
    intervalMs: () => 60_000,
    fences: new Fences(clock),
    confirmations,
    tokens,
    settings: {
      ...timeouts,
      runTimeoutMs: 60_000,
      restartSplayMs: 0,
      upgrades: { repository: undefined, optional: false, timeoutMs: 10_000 },
      features: { jwt: false, ed25519: false, pki: false, upgrades: false, ...options.features },
    },
    enrolment: {
      denyList: parseDenyList([]),
      serverJwtValidityMs: 3_600_000,
      tokens: site.verifier(),
      signing: site.signing(clock.now() / 1000),
    },
  });
  const runAll = (nodes: readonly SightedNode[]) =>
    Promise.all(nodes.map((node) => startRun({ node, fetched: undefined }).finished));
  return { sink, helper, runAll };
}

function confirmedOf(sink: RecordingSink): Identity[] {
  return sink.of('NODE_CONFIRMED').map((event) => event.identity);
}

describe('runs on real nodes', () => {
  it('configure each node once, restart it, and hear from it what it came up with', async () => {
    const { app, nodes } = await startNodes(10);
    const { sink, runAll } = createBench();
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'PROVISIONED'));
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
    expect(confirmedOf(sink).toSorted()).toEqual(nodes.map(({ identity }) => identity));
    expect(nodes.every((_, index) => app.swarm.node(index)?.phase === 'CONFIGURED')).toBe(true);
  });

  it.each([
    ['configure', 'BEFORE'],
    ['configure', 'AFTER'],
    ['restart', 'BEFORE'],
    ['restart', 'AFTER'],
  ] as const)('do so though each %s loses its reply %s it had its effect', async (rpc, when) => {
    const { nodes } = await startNodes(5);
    const { sink, runAll } = createBench({ wrap: (dial) => losing(dial, rpc, when) });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome)).toEqual(
      nodes.map(() => ({ kind: 'PROVISIONED', unsettled: false })),
    );
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
  });

  it.each(['BEFORE', 'AFTER'] as const)(
    'shut nodes down though the reply is lost %s the effect',
    async (when) => {
      const { app, nodes } = await startNodes(3);
      const { helper, runAll } = createBench({ wrap: (dial) => losing(dial, 'shutdown', when) });
      helper.replies({ shutdown: true, msg: 'retired' });
      const results = await runAll(nodes);
      expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'SHUT_DOWN'));
      await waitFor(() => nodes.every((_, index) => app.swarm.node(index)?.phase === 'STOPPED'));
    },
  );

  it('find the secret of a node in a list, and fail with none that fits', async () => {
    const { nodes } = await startNodes(2);
    const [first, second] = nodes;
    const wrong = await createBench({ tokens: ['new'] }).runAll(first ? [first] : []);
    expect(wrong[0]?.outcome).toMatchObject({ kind: 'FAILED', reason: 'PROOF_INVALID' });
    const right = await createBench({ tokens: ['new', 's3cret'] }).runAll(second ? [second] : []);
    expect(right[0]?.outcome.kind).toBe('PROVISIONED');
  });

  it('fail where the configuration keeps the node in provisioning mode', async () => {
    const { nodes } = await startNodes(2);
    const { helper, runAll } = createBench();
    helper.replies({ configuration: new Map([['plugin.choria.server.provision', 'true']]) });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome)).toEqual(
      nodes.map(() => expect.objectContaining({ kind: 'FAILED', reason: 'PROVISIONING_ENABLED' })),
    );
  });

  it('say which argument a node refused', async () => {
    const { nodes } = await startNodes(2);
    const { helper, runAll } = createBench();
    helper.replies({ actionPolicies: new Map([['../puppet.policy', 'policy default allow']]) });
    const [result] = await runAll(nodes);
    expect(result?.outcome).toMatchObject({
      kind: 'FAILED',
      reason: 'RPC_FAILED',
      message: expect.stringContaining('action_policies'),
    });
  });
});

describe('runs on real nodes with TLS', () => {
  const features = { jwt: true, ed25519: true };
  const now = systemClock.now() / 1000;

  it('give each a server token for the key that it made, and hear from it on the certificate of its next boot', async () => {
    const { app, nodes } = await startNodes(5, await site.token(now));
    const { sink, helper, runAll } = createBench({ features });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome)).toEqual(
      nodes.map(() => ({ kind: 'PROVISIONED', unsettled: false })),
    );
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
    expect(confirmedOf(sink).toSorted()).toEqual(nodes.map(({ identity }) => identity));
    expect(nodes.every((_, index) => app.swarm.node(index)?.phase === 'CONFIGURED')).toBe(true);
    const folders = helper.asked.map(({ key }) => key?.directory ?? '');
    for (const folder of folders) {
      const token = await readFile(join(folder, 'server.jwt'), 'utf8');
      const seed = Buffer.from(await readFile(join(folder, 'server.seed'), 'utf8'), 'hex');
      const claims = await verifyServerToken(token, site.verificationKey, systemClock.now() / 1000);
      expect(claims.publicKey).toBe(rawPublicKey(ed25519KeyFromSeed(seed)).toString('hex'));
    }
  });

  it.each([
    ['configure', 'BEFORE'],
    ['configure', 'AFTER'],
    ['restart', 'BEFORE'],
    ['restart', 'AFTER'],
  ] as const)('do so though each %s loses its reply %s it had its effect', async (rpc, when) => {
    const { nodes } = await startNodes(3, await site.token(now));
    const { sink, runAll } = createBench({ features, wrap: (dial) => losing(dial, rpc, when) });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'PROVISIONED'));
    await waitFor(() => sink.of('NODE_CONFIRMED').length === nodes.length);
  });

  it('bring a key from the helper that only the node can read', async () => {
    const { nodes } = await startNodes(2, await site.token(now));
    const { helper, runAll } = createBench({ features: { jwt: true } });
    const issued = await makeCertificate({ name: 'n', key: 'RSA' });
    const key = createPrivateKey(issued.keyPem).export({ type: 'pkcs1', format: 'pem' }).toString();
    const certificate = issued.certificatePem;
    helper.replies({ key: new Secret(key), certificate, ca: certificate, ssldir: '' });
    const results = await runAll(nodes);
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(nodes.map(() => 'PROVISIONED'));
  });

  it('are of the boot whose certificate is known: one that has another is not run', async () => {
    const { nodes } = await startNodes(1, await site.token(now));
    const { runAll } = createBench({ features });
    const stale = nodes.map((node) => ({ ...node, certificateSha256: 'ab'.repeat(32) }));
    const [result] = await runAll(stale);
    expect(result?.outcome).toMatchObject({ kind: 'SUPERSEDED', by: 'BOOT' });
  });
});
