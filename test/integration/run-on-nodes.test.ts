import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { createRunner } from '../../services/provisioner/run/runner.js';
import { systemClock } from '../../shared/clock.js';
import { type Identity, newBootId } from '../../shared/identity.js';
import { silentLogger } from '../../shared/logger.js';
import { parseCidr } from '../../shared/net/dial-policy.js';
import { Secret } from '../../shared/secret.js';
import { FakeHelper } from '../fakes/fake-helper.js';
import { RecordingSink } from '../fakes/recording-sink.js';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Real agents, each under a loopback address of its own, with a secret. */
async function startNodes(count: number): Promise<{ app: MockNodeApp; nodes: SightedNode[] }> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-run-'));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  const secretFile = join(dir, 'secret');
  await writeFile(secretFile, 's3cret\n');
  const words = `--listen 0.0.0.0:0 --nodes ${count} --tls-mode insecure --start-within 0s --secret-file ${secretFile}`;
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
  }));
  await waitFor(() => config.identities.every((_, index) => app.swarm.node(index)?.phase === 'PROVISIONING'));
  return { app, nodes };
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

function createBench(options: { readonly wrap?: (dial: Dial) => Dial; readonly tokens?: string[] } = {}) {
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
    log: silentLogger(),
    intervalMs: () => 60_000,
    fences: new Fences(clock),
    confirmations,
    tokens,
    settings: {
      ...timeouts,
      runTimeoutMs: 60_000,
      restartSplayMs: 0,
      features: { jwt: false, ed25519: false, pki: false },
    },
    enrolment: { denyList: parseDenyList([]), serverJwtValidityMs: 3_600_000 },
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
