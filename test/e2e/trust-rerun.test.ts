// Nodes that are provisioned more than once: what they hold at any moment was made for the keys that they have.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { quoteWord } from '../../cli/launch/quote.js';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { isSignedBy, openCompactToken, publicKeyOf } from './compact-tokens.js';
import { untilCommitted, untilConfigured, untilConfirmed } from './confirmed.js';
import { filesOfNodes, type NodeFiles } from './node-files.js';
import { nodesOnDisk, notWhole } from './nodes-on-disk.js';
import { reprovision } from './reprovision.js';
import { scratchFolder } from './scratch-folder.js';
import { prepareStack, testHelper } from './workspace.js';

const nodes = 24;

function prepare(helper: string): Promise<Stack> {
  return prepareStack({
    nodes,
    tls: 'required',
    helper,
    discovery: { interval: '5s', report_interval: '5s' },
    provisioner: { interval: '5s', helper_timeout: '30s' },
  });
}

/** Looks at seeds and tokens again and again while they change. */
class PairWatch {
  readonly #misfits = new Set<string>();
  readonly #publicKeys = new Map<string, string>();
  readonly #watching: Promise<unknown>;
  #pairs = 0;
  #over = false;

  constructor(stack: Stack) {
    const look = () => {
      for (const node of filesOfNodes(stack)) this.#look(node);
      return this.#over;
    };
    this.#watching = until(look, { what: 'the watch is over', timeoutMs: 600_000, everyMs: 10 });
    this.#watching.catch(() => {});
  }

  /** @returns nodes that had a token for another key than theirs at any moment */
  async end(): Promise<string[]> {
    this.#over = true;
    await this.#watching;
    expect(this.#pairs).toBeGreaterThan(0);
    return [...this.#misfits];
  }

  #look(node: NodeFiles): void {
    const seed = textOf(node, 'server.seed');
    const token = textOf(node, 'server.jwt');
    // No seed comes back: one that is there before and after was there meanwhile.
    if (seed === undefined || token === undefined || textOf(node, 'server.seed') !== seed) return;
    this.#pairs++;
    const known = this.#publicKeys.get(seed) ?? publicKeyOf(seed);
    this.#publicKeys.set(seed, known);
    if (openCompactToken(token).claims.public_key !== known) this.#misfits.add(node.identity);
  }
}

function textOf(node: NodeFiles, name: string): string | undefined {
  try {
    return node.read(name);
  } catch {
    return undefined;
  }
}

interface Credentials {
  readonly seed: string;
  readonly jti: unknown;
}

/** Verifies what each node holds, and returns it in the order of the nodes. */
async function credentialsOf(stack: Stack): Promise<Credentials[]> {
  expect(notWhole(await nodesOnDisk(stack))).toEqual([]);
  const signer = readFileSync(stack.trust?.verificationKey ?? '', 'utf8').trim();
  return filesOfNodes(stack).map((node) => {
    const seed = node.read('server.seed');
    const token = openCompactToken(node.read('server.jwt'));
    expect(token.claims).toMatchObject({ identity: node.identity, public_key: publicKeyOf(seed) });
    expect(isSignedBy(token, signer)).toBe(true);
    return { seed, jti: token.claims.jti };
  });
}

test('nodes that are provisioned anew, and killed on the way, get new keys and tokens; none has one of each', async () => {
  const stack = await prepare(testHelper('stamped.sh'));
  await stack.startAll();
  await untilConfirmed(stack, nodes, 100_000);
  const before = await credentialsOf(stack);

  const watch = new PairWatch(stack);
  await Promise.all(before.map((_, index) => reprovision(stack, index)));
  await untilCommitted(stack, nodes + nodes / 4);
  await stack.end('mock-node', 'SIGKILL');
  await stack.start('mock-node');
  await untilConfigured(stack, nodes, 100_000);
  expect(await watch.end()).toEqual([]);

  const after = await credentialsOf(stack);
  for (const value of ['seed', 'jti'] as const) {
    expect(new Set([...before, ...after].map((credentials) => credentials[value])).size).toBe(2 * nodes);
  }
});

test('a configuration that leaves nodes in provisioning mode: the next run brings another key and its token', async () => {
  const stack = await prepare(`${testHelper('twice.sh')} ${quoteWord(scratchFolder())}`);
  await stack.start('discovery');
  await stack.start('provisioner');
  await stack.start('mock-node');
  const watch = new PairWatch(stack);
  await untilConfirmed(stack, nodes, 100_000);
  expect(await watch.end()).toEqual([]);

  await credentialsOf(stack);
  const configurations = [...(await nodesOnDisk(stack)).values()].map((node) => node.configurations);
  expect(configurations.every((count) => count >= 2)).toBe(true);
  const samples = await stack.metrics('provisioner');
  expect(samples?.sum('slipway_provisioner_runs_total', { reason: 'PROVISIONING_ENABLED' })).toBe(nodes);
});
