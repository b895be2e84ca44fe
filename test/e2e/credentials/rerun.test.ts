// Nodes that are provisioned more than once: what they hold at any moment was made for the keys that they have.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quoteWord } from '../../../cli/launch/quote.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { until } from '../../../cli/launch/until.js';
import { openCompactToken, publicKeyOf } from '../compact-tokens.js';
import { untilCommitted, untilConfigured, untilConfirmed } from '../confirmed.js';
import { credentialsOf, type NodeCredentials, withoutCredentials } from '../credentials-on-disk.js';
import { filesOfNodes, type NodeFiles } from '../node-files.js';
import { nodesOnDisk, notWhole } from '../nodes-on-disk.js';
import { scratchFolder } from '../scratch-folder.js';
import { prepareStack, testHelper } from '../workspace.js';
import { reprovision } from './reprovision.js';

const nodes = 24;

function prepare(helper: string, interval: string): Promise<Stack> {
  return prepareStack({
    nodes,
    tls: 'required',
    helper,
    discovery: { interval },
    provisioner: { interval, identify_timeout: '10s', helper_timeout: '30s' },
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

/** @returns what each node holds, which is whole and all its own */
async function wholeCredentials(stack: Stack): Promise<NodeCredentials[]> {
  expect(notWhole(await nodesOnDisk(stack))).toEqual([]);
  expect(withoutCredentials(stack)).toEqual([]);
  return credentialsOf(stack);
}

function expectAllNew(before: readonly NodeCredentials[], after: readonly NodeCredentials[]): void {
  for (const value of ['seed', 'jti'] as const) {
    expect(new Set([...before, ...after].map((credentials) => credentials[value])).size).toBe(2 * nodes);
  }
}

test('nodes that are provisioned anew, and killed on the way, get new keys and tokens; none has one of each', async () => {
  const stack = await prepare(testHelper('stamped.sh'), '5s');
  await stack.startAll();
  await untilConfirmed(stack, nodes, 100_000);
  const before = await wholeCredentials(stack);

  const watch = new PairWatch(stack);
  await Promise.all(before.map((_, index) => reprovision(stack, index)));
  await untilCommitted(stack, nodes + nodes / 4);
  await stack.end('mock-node', 'SIGKILL');
  await stack.start('mock-node');
  await untilConfigured(stack, nodes, 100_000);
  expect(await watch.end()).toEqual([]);

  expectAllNew(before, await wholeCredentials(stack));
});

test('nodes that start with a token and are still to be provisioned get another key, and lose that token first', async () => {
  const enough = join(scratchFolder(), 'enough');
  // Each boot is sighted once.
  const stack = await prepare(`${testHelper('not-yet.sh')} ${quoteWord(enough)}`, '10m');
  await stack.startAll();
  await until(
    async () => {
      const states = [...(await nodesOnDisk(stack)).values()];
      return states.length === nodes && states.every(({ status }) => status === 'COMMITTED');
    },
    { what: 'every node has a configuration that leaves it in provisioning mode', timeoutMs: 100_000 },
  );
  await stack.end('provisioner');
  await stack.end('mock-node', 'SIGKILL');
  await stack.start('mock-node');
  expect(withoutCredentials(stack)).toEqual([]);
  const before = credentialsOf(stack);

  writeFileSync(enough, '');
  const watch = new PairWatch(stack);
  await stack.start('provisioner');
  await untilConfirmed(stack, nodes, 100_000);
  expect(await watch.end()).toEqual([]);
  expectAllNew(before, await wholeCredentials(stack));
});
