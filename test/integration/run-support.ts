// Runs on real agents, for tests: nodes on loopback, and a runner whose calls may lose their replies.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createApp, type MockNodeApp } from '../../services/mock-node/app.js';
import { parseFlags } from '../../services/mock-node/config.js';
import { parseDenyList } from '../../services/provisioner/enrolment/deny-list.js';
import { Breaker } from '../../services/provisioner/fleet/breaker.js';
import type { SightedNode } from '../../services/provisioner/fleet/node-event.js';
import { Confirmations } from '../../services/provisioner/run/confirmations.js';
import { createDialer } from '../../services/provisioner/run/dialer.js';
import { Fences } from '../../services/provisioner/run/fences.js';
import { type Dial, type NodeAgent, NodeCallError } from '../../services/provisioner/run/node.js';
import { createAskNode } from '../../services/provisioner/run/probe.js';
import type { RunFeatures } from '../../services/provisioner/run/run-context.js';
import { createRunner } from '../../services/provisioner/run/runner.js';
import { systemClock } from '../../shared/clock.js';
import { newBootId } from '../../shared/identity.js';
import { silentLogger } from '../../shared/logger.js';
import { parseHostPort } from '../../shared/net/addresses.js';
import { parseCidr } from '../../shared/net/dial-policy.js';
import { Secret } from '../../shared/secret.js';
import { certificateSha256 } from '../../shared/trust/report-envelope.js';
import { FakeHelper } from '../fakes/fake-helper.js';
import { RecordingSink } from '../fakes/recording-sink.js';
import { SiteKeys } from '../fakes/site-keys.js';

/** Whose tokens the nodes have, and what is signed for them. */
export const site = new SiteKeys();

const cleanups: (() => Promise<void>)[] = [];

/** Ends what the test before has started. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** Real agents, each under a loopback address of its own, with a secret; with a token, over TLS. */
export async function startNodes(
  count: number,
  token?: string,
  flags = '',
): Promise<{ app: MockNodeApp; nodes: SightedNode[] }> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-run-'));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  const secretFile = join(dir, 'secret');
  await writeFile(secretFile, token ?? 's3cret\n');
  const trust =
    token === undefined ? `--tls-mode insecure --secret-file ${secretFile}` : `--jwt-file ${secretFile}`;
  const words = `--listen 0.0.0.0:0 --nodes ${count} --dir ${dir} --start-within 0s ${trust} ${flags}`;
  const config = parseFlags(words.trim().split(' '), 'host');
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
export async function certificateAt(address: string): Promise<string> {
  const { host, port } = parseHostPort(address);
  const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return certificateSha256(raw);
}

export async function waitFor(condition: () => boolean): Promise<void> {
  const deadline = systemClock.monotonic() + 20_000;
  while (!condition()) {
    if (systemClock.monotonic() > deadline) throw new Error('it does not happen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Loses the first reply of one RPC of each node: before or after the node has it. */
export function losing(
  dial: Dial,
  rpc: 'updateRelease' | 'configure' | 'restart' | 'shutdown' | 'reprovision',
  when: 'BEFORE' | 'AFTER',
): Dial {
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
      updateRelease: maybe('updateRelease', (...args: Parameters<NodeAgent['updateRelease']>) =>
        agent.updateRelease(...args),
      ),
      getRunStatus: (caller, limits) => agent.getRunStatus(caller, limits),
      configure: maybe('configure', (...args: Parameters<NodeAgent['configure']>) =>
        agent.configure(...args),
      ),
      restart: maybe('restart', (...args: Parameters<NodeAgent['restart']>) => agent.restart(...args)),
      shutdown: maybe('shutdown', (...args: Parameters<NodeAgent['shutdown']>) => agent.shutdown(...args)),
      reprovision: maybe('reprovision', (...args: Parameters<NodeAgent['reprovision']>) =>
        agent.reprovision(...args),
      ),
      close: () => agent.close(),
    };
  };
}

export interface BenchOptions {
  readonly wrap?: (dial: Dial) => Dial;
  readonly tokens?: string[];
  readonly features?: Partial<RunFeatures>;
  readonly upgradesRepository?: string;
}

export function createBench(options: BenchOptions = {}) {
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
    breaker: new Breaker({ limit: 20, clock, random, sink }),
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
      upgrades: { repository: options.upgradesRepository, optional: false, timeoutMs: 10_000 },
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
