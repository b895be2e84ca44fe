// A discovery service that has not met the nodes, for it is another one or was restarted: an impostor with a token of
// the fleet speaks in their names there.

import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePorts } from '../../../cli/launch/ports.js';
import { quoteWord } from '../../../cli/launch/quote.js';
import { launch } from '../../../cli/launch/service-process.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { untilConfigured, untilConfirmed } from '../confirmed.js';
import { nodesOnDisk, notWhole } from '../nodes-on-disk.js';
import { scratchFolder } from '../scratch-folder.js';
import { prepareStack, testHelper } from '../workspace.js';
import { introduction, obedient, startAgent } from './agents.js';
import { untilLine } from './log.js';
import {
  fleetToken,
  newSigner,
  Onlooker,
  type ReportType,
  registryAt,
  reportTypes,
  type SeenNode,
  say,
  type Voice,
} from './reports.js';
import type { StrangersServer } from './servers.js';

/** One is run first and waits for the helper; the others wait for their turn. */
const names = ['node-00001.swarm.local', 'node-00002.swarm.local', 'node-00003.swarm.local'];

test('an impostor gets no further through a discovery service that has not met the nodes', async () => {
  const { stack, go } = await prepare();
  const second = await startSecondDiscovery(stack);
  const nodes = await startAndSee(stack);
  const impostor = await Impostor.start(stack, second);
  for (const [index, identity] of names.entries()) {
    // Of his own, or of the node.
    const bootId = index === 1 ? nodes.get(identity)?.boot_id : undefined;
    await impostor.says(identity, reportTypes, bootId);
    await impostor.isNamed(identity, nodes);
  }
  go();
  await areProvisioned(stack);
  expect(impostor.agent.connections).toBe(0);
  // His word that they came up is not taken for theirs.
  await untilConfirmed(stack, names.length, 60_000);
  const samples = await stack.metrics('provisioner');
  expect(samples?.sum('slipway_provisioner_confirmed_total')).toBe(names.length);
});

test('nor by being quicker than the nodes where discovery was restarted', async () => {
  const { stack, go } = await prepare({ report_interval: '1m' });
  const nodes = await startAndSee(stack);
  await stack.end('discovery', 'SIGKILL');
  await stack.start('discovery');
  const impostor = await Impostor.start(stack, `127.0.0.1:${stack.ports.nodes}`);
  for (const identity of names) await impostor.says(identity, ['STARTUP']);
  for (const identity of names) await impostor.isNamed(identity, nodes);
  go();
  await areProvisioned(stack);
  // Discovery may ask him, when the nodes are back.
  expect(impostor.agent.methods.filter((method) => method !== 'Identify')).toEqual([]);
});

/** @returns a stack whose helper does nothing until it is told to go */
async function prepare(discovery: Readonly<Record<string, unknown>> = {}) {
  const file = join(scratchFolder(), 'go');
  const stack = await prepareStack({
    nodes: names.length,
    tls: 'required',
    helper: `${testHelper('waiting.sh')} ${quoteWord(file)}`,
    discovery: { probe_timeout: '10s', ...discovery },
    provisioner: { workers: 1, helper_timeout: '2m', identify_timeout: '20s' },
  });
  return { stack, go: () => writeFileSync(file, '') };
}

/** Starts all of it. @returns the nodes, once the provisioner knows them */
async function startAndSee(stack: Stack): Promise<ReadonlyMap<string, SeenNode>> {
  await stack.startAll();
  const known = async () => (await stack.metrics('provisioner'))?.sum('slipway_provisioner_hosts');
  await expect.poll(known, { timeout: 30_000 }).toBe(names.length);
  return new Onlooker(stack).nodes();
}

/** Each has been, once, and where it was. */
async function areProvisioned(stack: Stack): Promise<void> {
  await untilConfigured(stack, names.length, 60_000);
  const states = await nodesOnDisk(stack);
  expect(notWhole(states)).toEqual([]);
  expect([...states.values()].map(({ configurations }) => configurations)).toEqual([1, 1, 1]);
  const runs = async () =>
    (await stack.metrics('provisioner'))?.sumBy('outcome', 'slipway_provisioner_runs_total');
  await expect.poll(runs, { timeout: 30_000 }).toEqual(new Map([['PROVISIONED', names.length]]));
}

/** He has an agent that does all that provisioners ask for. */
class Impostor {
  readonly agent: StrangersServer;
  readonly #stack: Stack;
  readonly #voice: Omit<Voice, 'identity' | 'bootId'>;

  private constructor(stack: Stack, agent: StrangersServer, voice: Omit<Voice, 'identity' | 'bootId'>) {
    this.#stack = stack;
    this.agent = agent;
    this.#voice = voice;
  }

  /** @param discovery where nodes report to it, host:port */
  static async start(stack: Stack, discovery: string): Promise<Impostor> {
    const [signer, token] = [await newSigner(), fleetToken(stack)];
    const self = introduction(names[0] ?? '', randomUUID());
    const agent = await startAgent({ host: '127.0.0.66' }, signer, obedient(self, token));
    const [host = '', port = ''] = agent.address.split(':');
    const registry = registryAt(stack, discovery);
    return new Impostor(stack, agent, { registry, host, port: Number(port), signer, token });
  }

  async says(identity: string, types: readonly ReportType[], bootId: string = randomUUID()): Promise<void> {
    for (const type of types) await say({ ...this.#voice, identity, bootId }, type);
  }

  /** Resolves when the provisioner has told of the conflict. */
  async isNamed(identity: string, nodes: ReadonlyMap<string, SeenNode>): Promise<void> {
    const { address } = await untilLine(this.#stack.logFile('provisioner'), (line) => {
      return line.identity === identity && line.newcomer_address === this.agent.address;
    });
    expect([identity, address]).toEqual([identity, nodes.get(identity)?.address]);
  }
}

/** Adds a discovery service to a stack of which nothing runs yet. @returns where nodes report to it, host:port */
async function startSecondDiscovery(stack: Stack): Promise<string> {
  const ports = await freePorts(['nodes', 'consumers', 'monitor']);
  const [nodes, consumers] = [`127.0.0.1:${ports.nodes}`, `127.0.0.1:${ports.consumers}`];
  const file = join(stack.directory, 'discovery-2.yaml');
  const config = readConfig(stack.configFile('discovery'));
  const changes = { listen: consumers, listen_nodes: nodes, monitor_port: ports.monitor };
  writeFileSync(file, stringify({ ...config, ...changes }));
  const provisioner = readConfig(stack.configFile('provisioner'));
  const discovery = [`127.0.0.1:${stack.ports.consumers}`, consumers];
  writeFileSync(stack.configFile('provisioner'), stringify({ ...provisioner, discovery }));
  const logFile = join(stack.directory, 'discovery-2.log');
  const launched = await launch({ service: 'discovery', args: ['--config', file], logFile });
  onTestFinished(async () => void (await launched.end('SIGKILL')));
  await untilLine(logFile, ({ msg }) => msg === 'started');
  return nodes;
}

function readConfig(file: string): Readonly<Record<string, unknown>> {
  return parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
}
