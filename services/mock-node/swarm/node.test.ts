import { randomBytes, randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../../shared/grpc/errors.js';
import { newRunId, parseIdentity, type RunId } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { agentConfiguration } from '../../../test/fakes/agent-configurations.js';
import { CrashingFiles } from '../../../test/fakes/crashing-files.js';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import { FakeRegistry } from '../../../test/fakes/fake-registry.js';
import type { Agent } from '../agent/agent.js';
import type { Call } from '../agent/call.js';
import type { BootCredentials } from '../boot/boot-credentials.js';
import { Slots } from '../slots.js';
import { NodeStore } from '../state/node-store.js';
import { Node, type NodeOptions, type Phase } from './node.js';
import { Swarm } from './swarm.js';

const identity = parseIdentity('web-1') ?? fail();
const directory = '/nodes/web-1';
const digest = '0'.repeat(63);

function fail(): never {
  throw new Error('not expected');
}

let clock: FakeClock;
let files: CrashingFiles;
let registry: FakeRegistry;
let phases: string[];
let credentials: BootCredentials;
let released: number;
/** Of each time that its connections were cut, how long they had. */
let cuts: number[];

beforeEach(() => {
  clock = new FakeClock();
  files = new CrashingFiles();
  registry = new FakeRegistry();
  phases = [];
  released = 0;
  cuts = [];
  credentials = {
    certificate: undefined,
    token: undefined,
    secret: undefined,
    provisioningByDefault: false,
    registry,
    release: () => {
      released++;
    },
  };
});

function newNode(
  onPhase: (from: Phase, to: Phase) => void = (_from, to) => phases.push(to),
  changes: Partial<NodeOptions> = {},
): Node {
  return new Node({
    identity,
    host: '',
    port: 7430,
    version: '1.0',
    upgradable: true,
    upgradeTimeMs: 1_000,
    directory,
    downMs: 100,
    newCredentials: async () => credentials,
    newCsr: () => fail(),
    newStore: () => new NodeStore({ identity, directory, files, disk: new Slots(4) }),
    randomBytes,
    newEventId: randomUUID,
    clock,
    random: () => 0.5,
    log: silentLogger(),
    onPhase,
    onCommitted: () => {},
    cutConnections: (graceMs) => cuts.push(graceMs),
    ...changes,
  });
}

function agentOf(node: Node): Agent {
  return node.agent ?? expect.fail('the node is down');
}

function callTo(node: Node, run: RunId): Call {
  const caller = {
    identity,
    boot: agentOf(node).identify().bootId,
    proof: '',
    site: 'default',
    provisioner: 'p1',
    run,
    fence: 1n,
  };
  return { caller, signal: new AbortController().signal };
}

async function configure(node: Node, runId: RunId, version = 1): Promise<void> {
  const configurationJson = `{"version":"${version}"}`;
  await agentOf(node).configure(
    callTo(node, runId),
    agentConfiguration({ digest: `${digest}${version}`, configurationJson }),
  );
}

test('a restart is announced at once, and the next boot comes up configured and says so', async () => {
  const node = newNode();
  await node.start();
  await clock.advance(0);
  const runId = newRunId();
  const firstBoot = agentOf(node).identify().bootId;
  await configure(node, runId);
  await agentOf(node).restart(callTo(node, runId), 2_000);
  await clock.advance(500);
  expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
  expect(node.agent).toBeDefined();
  await clock.advance(550);
  expect(node.agent).toBeUndefined();
  await clock.advance(100);

  expect(agentOf(node).identify()).toMatchObject({ provisioning: false });
  expect(agentOf(node).identify().bootId).not.toBe(firstBoot);
  expect(registry.last).toMatchObject({
    type: 'PROVISIONED',
    sequence: 1,
    provisioned: { runId, configurationDigest: `${digest}1` },
  });
  expect(phases).toEqual(['DOWN', 'PROVISIONING', 'STOPPING', 'DOWN', 'CONFIGURED']);
});

test('a boot that is over lets go of its credentials, and the next one gets others', async () => {
  const node = newNode();
  await node.start();
  const runId = newRunId();
  await configure(node, runId);
  await agentOf(node).restart(callTo(node, runId), 0);
  await clock.advance(10);
  expect([node.agent, released]).toEqual([undefined, 1]);
  credentials = { ...credentials, provisioningByDefault: true };
  await clock.advance(200);
  // The settings do not say: what the boot's token says counts.
  expect(node.phase).toBe('PROVISIONING');
  await node.end(1_000);
  expect(released).toBe(2);
});

describe('an upgrade', () => {
  const release = { repository: 'https://releases.example.net', version: '2.0' };

  test('is announced at once, and the next boot reports that it is done', async () => {
    const node = newNode();
    await node.start();
    await clock.advance(0);
    const upgrading = agentOf(node).updateRelease(callTo(node, newRunId()), release);
    await clock.advance(20_000);
    await upgrading;
    expect(registry.types.slice(0, 4)).toEqual(['STARTUP', 'SHUTDOWN', 'UPGRADED', 'ALIVE']);
    expect(registry.reports.map(({ version }) => version).slice(0, 4)).toEqual(['1.0', '1.0', '2.0', '2.0']);
    expect(registry.reports[2]?.sequence).toBe(1);
    expect(agentOf(node).identify()).toMatchObject({ version: '2.0', provisioning: true });
    expect(phases).toEqual(['DOWN', 'PROVISIONING', 'STOPPING', 'DOWN', 'PROVISIONING']);
    await node.end(1_000);
    await newNode().start();
    await clock.advance(0);
    expect(registry.last).toMatchObject({ type: 'STARTUP', version: '2.0' });
  });

  test('that fails leaves the node waiting, and discovery hears of it again', async () => {
    const node = newNode();
    await node.start();
    await clock.advance(0);
    const upgrading = agentOf(node)
      .updateRelease(callTo(node, newRunId()), release)
      .catch((error) => error.message);
    await clock.advance(500);
    files.beforeWrite = () => {
      files.beforeWrite = async () => {};
      return Promise.reject(new Error('no space left'));
    };
    await clock.advance(600);
    expect(await upgrading).toBe('no space left');
    expect(node.phase).toBe('PROVISIONING');
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN', 'ALIVE']);
    await clock.advance(10_000);
    expect(registry.types.at(-1)).toBe('ALIVE');
  });

  test('that a crash cuts off has failed, and the node says nothing of it', async () => {
    const node = newNode();
    await node.start();
    await clock.advance(0);
    const run = newRunId();
    const upgrading = agentOf(node)
      .updateRelease(callTo(node, run), release)
      .catch((error) => error.name);
    await clock.advance(500);
    node.crash();
    await clock.advance(200);
    expect(await upgrading).toBe('DownError');
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN', 'STARTUP']);
    expect(registry.last.version).toBe('1.0');
    expect(await agentOf(node).getRunStatus(callTo(node, run), run)).toMatchObject({ stage: 'FAILED' });
  });
});

test('a stop that is accepted while the node crashes is not announced by the boot after it', async () => {
  const node = newNode();
  await node.start();
  await clock.advance(0);
  let release = () => {};
  files.beforeWrite = () => new Promise((resolve) => (release = resolve));
  files.beforeSync = () => Promise.resolve();
  const stopping = agentOf(node).shutdown(callTo(node, newRunId()));
  await settle();
  const { agent } = node;
  files.beforeWrite = async () => {};
  let synced = () => {};
  files.beforeSync = () => new Promise((resolve) => (synced = resolve));
  release();
  await settle();
  node.crash();
  expect(agent).not.toBe(node.agent);
  files.beforeSync = async () => {};
  synced();
  await stopping;
  await clock.advance(10);
  expect(node.phase).toBe('DOWN');
  await clock.advance(200);
  expect(node.phase).toBe('PROVISIONING');
});

test('a node that was shut down stays silent', async () => {
  const node = newNode();
  await node.start();
  await clock.advance(0);
  await agentOf(node).shutdown(callTo(node, newRunId()));
  await clock.advance(3_600_000);
  expect(node.agent).toBeUndefined();
  expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
  expect(node.phase).toBe('STOPPED');
  expect(clock.pendingTimers).toBe(0);
});

test('a node that discovery cannot hear restarts all the same', async () => {
  registry.answer = () => {
    throw new RpcError(status.UNAVAILABLE, 'away');
  };
  const node = newNode();
  await node.start();
  const runId = newRunId();
  await configure(node, runId);
  await agentOf(node).restart(callTo(node, runId), 0);
  await clock.advance(200);
  expect(node.phase).toBe('CONFIGURED');
});

test('a report that hangs delays going down by a second at most', async () => {
  const node = newNode();
  await node.start();
  await clock.advance(0);
  registry.answer = (_report, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const runId = newRunId();
  await configure(node, runId);
  await agentOf(node).restart(callTo(node, runId), 0);
  await clock.advance(1_100);
  expect(node.phase).toBe('CONFIGURED');
});

test('a disk that fails at boot is tried again', async () => {
  await files.makeDirectory(`${directory}/state`);
  await files.write(`${directory}/state/manifest.json`, 'junk', 0o600);
  const node = newNode();
  const starting = node.start();
  await clock.advance(500);
  expect(node.phase).toBe('DOWN');
  await files.remove(`${directory}/state/manifest.json`);
  await clock.advance(1_500);
  await starting;
  expect(node.phase).toBe('PROVISIONING');
});

describe('the end of the process', () => {
  test('is reported, and leaves the state for the next one', async () => {
    const node = newNode();
    await node.start();
    await clock.advance(0);
    await configure(node, newRunId());
    await node.end(1_000);
    expect(registry.types).toEqual(['STARTUP', 'SHUTDOWN']);
    const next = newNode();
    await next.start();
    expect(next.phase).toBe('CONFIGURED');
  });

  test('while the node is down keeps it down', async () => {
    const node = newNode();
    await node.start();
    const runId = newRunId();
    await configure(node, runId);
    await agentOf(node).restart(callTo(node, runId), 0);
    await clock.advance(10);
    expect(node.phase).toBe('DOWN');
    await node.end(1_000);
    await clock.advance(10_000);
    expect(node.agent).toBeUndefined();
    expect(node.phase).toBe('STOPPED');
  });
});

describe('a swarm', () => {
  const newSwarm = (count: number) =>
    new Swarm({ count, clock, log: silentLogger(), newNode: (_index, onPhase) => newNode(onPhase) });

  test('boots its nodes spread over the time given', async () => {
    const swarm = newSwarm(10);
    const started = swarm.start(1_000);
    await clock.advance(450);
    expect(swarm.counts.PROVISIONING).toBe(5);
    expect(swarm.started).toBe(false);
    await clock.advance(550);
    await started;
    expect(swarm.counts.PROVISIONING).toBe(10);
    expect(swarm.started).toBe(true);
  });

  test('is done when the last of its nodes was shut down', async () => {
    const swarm = newSwarm(2);
    await swarm.start(0);
    let done = false;
    void swarm.allShutDown.then(() => {
      done = true;
    });
    for (const index of [0, 1]) {
      const node = swarm.node(index) ?? expect.fail('no node');
      expect(done).toBe(false);
      await agentOf(node).shutdown(callTo(node, newRunId()));
      await clock.advance(1_000);
    }
    expect(done).toBe(true);
  });

  test('that ends is not done', async () => {
    const swarm = newSwarm(1);
    await swarm.start(0);
    let done = false;
    void swarm.allShutDown.then(() => {
      done = true;
    });
    await swarm.end(1_000);
    await clock.advance(10);
    expect(done).toBe(false);
    expect(swarm.counts.STOPPED).toBe(1);
  });
});

describe('a crash', () => {
  test('is not reported, cuts the connections, and the next boot comes up from what is on the disk', async () => {
    const node = newNode();
    await node.start();
    await clock.advance(0);
    const crashed = agentOf(node).identify().bootId;
    const runId = newRunId();
    await configure(node, runId);
    node.crash();
    expect(node.agent).toBeUndefined();
    expect(cuts).toEqual([0]);
    await clock.advance(99);
    expect([node.phase, released]).toEqual(['DOWN', 1]);
    await clock.advance(1);
    expect(node.phase).toBe('CONFIGURED');
    expect(agentOf(node).identify().bootId).not.toBe(crashed);
    await clock.advance(0);
    expect(registry.types).toEqual(['STARTUP', 'PROVISIONED']);
  });

  test('overtakes a stop that is pending: the node boots again, also where it was to stop for good', async () => {
    const node = newNode();
    await node.start();
    const runId = newRunId();
    await agentOf(node).shutdown(callTo(node, runId));
    node.crash(50);
    expect(cuts).toEqual([50]);
    await clock.advance(10_000);
    expect(node.phase).toBe('PROVISIONING');
  });

  test('of a node that is down changes nothing, and a node that crashed can be ended', async () => {
    const node = newNode();
    node.crash();
    expect(node.phase).toBe('STOPPED');
    await node.start();
    node.crash();
    node.crash();
    expect(cuts).toEqual([0]);
    await node.end(0);
    await clock.advance(10_000);
    expect(node.phase).toBe('STOPPED');
  });
});

describe('a node that flaps', () => {
  const mean = 5_000;
  /** Crashes when the time that it has on average is over. */
  const random = () => 1 - Math.exp(-1);

  test('crashes without a word and boots again, until it came up configured', async () => {
    const node = newNode(undefined, { crashesEveryMs: mean, random, downMs: 0 });
    await node.start();
    await clock.advance(0);
    const boots = new Set([agentOf(node).identify().bootId]);
    for (let crash = 1; crash <= 3; crash++) {
      await clock.advance(mean - 1);
      boots.add(agentOf(node).identify().bootId);
      expect([boots.size, cuts.length]).toEqual([crash, crash - 1]);
      await clock.advance(1);
      boots.add(agentOf(node).identify().bootId);
    }
    expect(boots.size).toBe(4);
    expect(new Set(registry.types)).toEqual(new Set(['STARTUP']));
    await configure(node, newRunId());
    await clock.advance(mean);
    expect(node.phase).toBe('CONFIGURED');
    await clock.advance(10 * mean);
    expect(cuts).toHaveLength(4);
  });

  test('has a span of its own in each boot', async () => {
    const draws = [0.1, 0.5, 0.9];
    const node = newNode(undefined, {
      crashesEveryMs: mean,
      downMs: 0,
      random: () => draws[cuts.length] ?? 0.999,
    });
    await node.start();
    for (const [crash, draw] of draws.entries()) {
      await clock.advance(-Math.log(1 - draw) * mean + 1);
      expect(cuts).toHaveLength(crash + 1);
    }
  });
});
