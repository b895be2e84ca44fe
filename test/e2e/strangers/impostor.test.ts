// Somebody with a valid token of the fleet speaks in the names of its nodes, from elsewhere: before they are
// provisioned, all the while, and afterwards.

import { randomUUID } from 'node:crypto';
import { setInterval as every } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../../cli/launch/ports.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { openCompactToken, publicKeyOf } from '../compact-tokens.js';
import { untilConfirmed } from '../confirmed.js';
import { loggedOf, secretsOf } from '../logged.js';
import { filesOfNodes } from '../node-files.js';
import { nodesOnDisk, notWhole } from '../nodes-on-disk.js';
import { prepareStack, testHelper } from '../workspace.js';
import { linesOf } from './log.js';
import {
  deliver,
  fleetToken,
  newSigner,
  Onlooker,
  registryAt,
  reportBytes,
  reportTypes,
  type SeenNode,
  say,
  sealed,
  type Voice,
} from './reports.js';
import { agentPaths, passOn, StrangersServer } from './servers.js';
import { ReportTap } from './tap.js';
import { RefusedCall } from './wire.js';

/** Where the impostor is. */
const elsewhere = '127.0.0.66';

/** Each name is attacked in another way: contests over one name take turns. */
const byAnotherBoot = 'node-00001.swarm.local';
const byItsBootId = 'node-00002.swarm.local';
const byItsReports = 'node-00003.swarm.local';
const names = [byAnotherBoot, byItsBootId, byItsReports];

test('an impostor with a token of the fleet moves, supersedes and removes no node, and is named', async () => {
  const { tap: port } = await freePorts(['tap']);
  const stack = await prepareStack({
    nodes: names.length,
    tls: 'required',
    helper: testHelper('stamped.sh'),
    discovery: { trust_advertised_host: false, interval: '2s', report_interval: '1s', probe_timeout: '10s' },
    provisioner: { interval: '2s', identify_timeout: '20s' },
    swarm: ['--addresses', 'ports', '--listen', '127.0.0.1:0', '--discovery', `127.0.0.1:${port}`],
  });
  await stack.start('discovery');
  const tap = await ReportTap.start(stack, port);
  await stack.start('mock-node');
  const onlooker = new Onlooker(stack);
  await expect.poll(async () => (await onlooker.nodes()).size, { timeout: 30_000 }).toBe(names.length);
  const nodes = await onlooker.nodes();
  const impostor = await Impostor.start(stack, nodes);

  // While they wait.
  await impostor.speaksAsAnotherBoot(byAnotherBoot);
  await impostor.speaksAsItsBoot(byItsBootId);
  await impostor.replays(byItsReports, tap);
  const conflictsOf = (name: string) => {
    const [address, newcomer] = impostor.against(name);
    // What the node signed has the node's port in it.
    const replayed = `${elsewhere}:${address.split(':')[1]}`;
    return [name, address, name === byItsReports ? replayed : newcomer] as const;
  };
  for (const name of names) await onlooker.untilConflict(...conflictsOf(name));
  expect(placesOf(await onlooker.nodes())).toEqual(placesOf(nodes));

  // While they are provisioned and restart.
  const harassing = impostor.harasses(names);
  await stack.start('provisioner');
  await untilConfirmed(stack, names.length, 60_000);

  // When they are up.
  onlooker.events.length = 0;
  await onlooker.untilConflict(byAnotherBoot, ...impostor.against(byAnotherBoot));
  await harassing.stop();

  expect(impostor.connections).toBe(0);
  expect(onlooker.events.filter(({ node }) => node.address.startsWith(elsewhere))).toEqual([]);
  const states = await nodesOnDisk(stack);
  expect(notWhole(states)).toEqual([]);
  expect([...states.values()].map(({ configurations }) => configurations)).toEqual([1, 1, 1]);
  for (const node of filesOfNodes(stack)) {
    const { claims } = openCompactToken(node.read('server.jwt'));
    expect(claims).toMatchObject({
      identity: node.identity,
      public_key: publicKeyOf(node.read('server.seed')),
    });
  }
  const samples = await stack.metrics('provisioner');
  expect(samples?.sumBy('outcome', 'slipway_provisioner_runs_total')).toEqual(new Map([['PROVISIONED', 3]]));
  const said = linesOf(stack.logFile('discovery')).filter(({ newcomer }) => newcomer !== undefined);
  for (const name of names) {
    const [identity, address, newcomer] = conflictsOf(name);
    expect(said).toContainEqual(expect.objectContaining({ level: 'warn', identity, address, newcomer }));
  }
  expect(loggedOf(stack, secretsOf(stack))).toEqual([]);
});

/** Where each node is, and who it is there. */
function placesOf(nodes: ReadonlyMap<string, SeenNode>): string[][] {
  return [...nodes.values()].map(({ identity, address, boot_id, certificate_sha256 }) => [
    identity,
    address,
    boot_id,
    certificate_sha256.toString('hex'),
  ]);
}

/** He has the token, a key of his own, and an agent at his address that would say that it is whoever is wanted. */
class Impostor {
  readonly #nodes: ReadonlyMap<string, SeenNode>;
  readonly #agent: StrangersServer;
  readonly #voice: Omit<Voice, 'identity'>;

  private constructor(
    nodes: ReadonlyMap<string, SeenNode>,
    agent: StrangersServer,
    voice: Omit<Voice, 'identity'>,
  ) {
    this.#nodes = nodes;
    this.#agent = agent;
    this.#voice = voice;
  }

  static async start(stack: Stack, nodes: ReadonlyMap<string, SeenNode>): Promise<Impostor> {
    const signer = await newSigner();
    const agent = await StrangersServer.start({ host: elsewhere }, signer, agentPaths, () => Buffer.of());
    const registry = registryAt(stack, await passOn(`127.0.0.1:${stack.ports.nodes}`, elsewhere));
    const port = Number(agent.address.split(':')[1]);
    const voice = { registry, port, bootId: randomUUID(), signer, token: fleetToken(stack) };
    return new Impostor(nodes, agent, voice);
  }

  /** How often somebody has come to his agent. */
  get connections(): number {
    return this.#agent.connections;
  }

  /** @returns the addresses of the node and of his own */
  against(name: string): [string, string] {
    return [this.#node(name).address, this.#agent.address];
  }

  async speaksAsAnotherBoot(identity: string): Promise<void> {
    for (const type of reportTypes) await say({ ...this.#voice, identity }, type);
  }

  async speaksAsItsBoot(identity: string): Promise<void> {
    const voice = { ...this.#voice, identity, bootId: this.#node(identity).boot_id };
    for (const type of reportTypes) {
      await expect(say(voice, type)).rejects.toMatchObject({ reason: 'CERTIFICATE_MISMATCH' });
    }
  }

  /** With what the node itself has signed. */
  async replays(identity: string, tap: ReportTap): Promise<void> {
    const voice = { ...this.#voice, identity, bootId: this.#node(identity).boot_id };
    const [first, second] = await tap.untilHeard(identity, 2);
    if (first === undefined || second === undefined) throw new Error('there are no two reports');
    await deliver(voice, second);
    await expect(deliver(voice, first)).rejects.toMatchObject({ reason: 'SEQUENCE_STALE' });
    const forged = reportBytes(voice, 'ALIVE');
    const own = sealed(forged, voice.signer);
    const refused = [
      { ...own, certificate: first.certificate },
      { ...first, report: forged },
      { ...first, certificate: own.certificate },
    ];
    for (const envelope of refused) {
      await expect(deliver(voice, envelope)).rejects.toMatchObject({ reason: 'SIGNATURE_INVALID' });
    }
    // And one that has not arrived: it is the node's own word, but from elsewhere.
    await tap.beforeNext(identity, async (envelope) => void (await deliver(voice, envelope)));
  }

  /** Says everything in all names, as each boot that there may be, until he is told to stop. */
  harasses(identities: readonly string[]): { stop(): Promise<void> } {
    const done = new AbortController();
    const ended = this.#goOn(identities, done.signal);
    const stop = async () => {
      done.abort();
      await ended;
    };
    onTestFinished(stop);
    return { stop };
  }

  async #goOn(identities: readonly string[], signal: AbortSignal): Promise<void> {
    const boots = (identity: string) => [this.#voice.bootId, this.#node(identity).boot_id, randomUUID()];
    const words = identities.flatMap((identity) =>
      reportTypes.flatMap((type) => [0, 1, 2].map((which) => ({ identity, type, which }))),
    );
    try {
      for await (const _ of every(50, undefined, { signal })) {
        const said = words.map(({ identity, type, which }) =>
          say({ ...this.#voice, identity, bootId: boots(identity)[which] ?? '' }, type),
        );
        for (const word of await Promise.allSettled(said)) {
          if (word.status === 'rejected' && !(word.reason instanceof RefusedCall)) throw word.reason;
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #node(name: string): SeenNode {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`no node ${name}`);
    return node;
  }
}
