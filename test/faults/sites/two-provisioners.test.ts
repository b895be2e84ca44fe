// Two provisioners that work on the same nodes, each with a helper of its own: nobody is to run them so, and whoever
// does must not end with nodes that have a key of one and a token of the other.

import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quoteWord } from '../../../cli/launch/quote.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { startAnotherProvisioner } from '../../e2e/another-provisioner.js';
import { openCompactToken } from '../../e2e/compact-tokens.js';
import { untilCommitted, untilConfigured } from '../../e2e/confirmed.js';
import { needsOpenssl } from '../../e2e/credentials/openssl.js';
import { withoutCredentials } from '../../e2e/credentials-on-disk.js';
import { filesOfNodes, type NodeFiles } from '../../e2e/node-files.js';
import { mixedStamps, nodesOnDisk, notWhole } from '../../e2e/nodes-on-disk.js';
import { scratchFolder } from '../../e2e/scratch-folder.js';
import { prepareStack, testHelper } from '../../e2e/workspace.js';
import { DiskWatch } from './disk-watch.js';
import { countRuns } from './run-counts.js';

const helpers = ['first', 'second'] as const;
type Helper = (typeof helpers)[number];

/** Of both together: each may be in the other's way, and neither comes back at once. */
const mostRunsOfANode = 6;

/** Command line of what stamps a reply in the name of one of them. */
const stampedBy = (helper: Helper) => `${testHelper('stamped-by.sh')} ${helper}`;

class TwoProvisioners {
  readonly stack: Stack;
  readonly #watch: DiskWatch;
  readonly #logs: readonly string[];

  private constructor(stack: Stack, logs: readonly string[]) {
    this.stack = stack;
    this.#watch = new DiskWatch(stack);
    this.#logs = logs;
  }

  /** Starts all of a stack, and the second provisioner before the nodes. */
  static async start(stack: Stack, settings: Readonly<Record<string, unknown>>): Promise<TwoProvisioners> {
    await stack.start('discovery');
    const first = await stack.start('provisioner');
    const second = await startAnotherProvisioner(stack, settings);
    await stack.start('mock-node', { untilReady: false });
    // The first node that writes would make it.
    mkdirSync(stack.nodesDirectory, { recursive: true });
    return new TwoProvisioners(stack, [first.logFile, second.logFile]);
  }

  /** All nodes are up, whole, and were whole at every moment; nobody went round in circles for it. */
  async expectWhole(nodes: number, what: string): Promise<void> {
    const { stack } = this;
    await untilConfigured(stack, nodes, 90_000);
    const watched = await this.#watch.end();
    const { outcomes, mostOfOneNode } = countRuns(...this.#logs);
    process.stdout.write(
      `${what}: nodes by helper ${JSON.stringify(this.#byHelper())}, runs ${JSON.stringify(outcomes)}, ` +
        `at most ${mostOfOneNode} of one node; ${watched.rounds} looks at all disks\n`,
    );
    expect(watched.problems).toEqual([]);
    expect(watched.configured).toBeGreaterThan(0);
    const states = await nodesOnDisk(stack);
    expect(states.size).toBe(nodes);
    expect(notWhole(states)).toEqual([]);
    expect(await mixedStamps(stack, states)).toEqual([]);
    expect(mostOfOneNode).toBeLessThanOrEqual(mostRunsOfANode);
  }

  /** @returns nodes of each helper */
  #byHelper(): Record<Helper, number> {
    const count = (helper: Helper) => filesOfNodes(this.stack).filter((node) => isOf(node, helper)).length;
    return { first: count('first'), second: count('second') };
  }
}

function isOf(node: NodeFiles, helper: Helper): boolean {
  return stampOf(node).startsWith(`${helper}-`);
}

function stampOf(node: NodeFiles): string {
  return node.settings().stamp ?? '';
}

/** @returns nodes whose token or CA is of another reply than their settings */
function withForeignParts(stack: Stack): string[] {
  const foreign = filesOfNodes(stack).filter((node) => {
    const { collectives } = openCompactToken(node.read('server.jwt')).claims;
    return node.read('ca.pem') !== stampOf(node) || String(collectives) !== stampOf(node);
  });
  return foreign.map(({ identity }) => identity);
}

for (const { what, second, killed } of [
  { what: 'of one site', second: {}, killed: false },
  { what: 'of one site, of which one is killed on the way and started again', second: {}, killed: true },
  { what: 'of two sites', second: { site: 'elsewhere' }, killed: false },
]) {
  test(`two provisioners ${what}: no node ever has a key of one and a token of the other`, async () => {
    const nodes = 200;
    const stack = await prepareStack({
      nodes,
      tls: 'required',
      helper: stampedBy('first'),
      discovery: { interval: '2s' },
      provisioner: { interval: '2s', identify_timeout: '10s' },
    });
    const two = await TwoProvisioners.start(stack, { helper: stampedBy('second'), ...second });
    if (killed) {
      await untilCommitted(stack, nodes / 4);
      await stack.end('provisioner', 'SIGKILL');
      await stack.start('provisioner');
    }
    await two.expectWhole(nodes, what);
    expect(withoutCredentials(stack)).toEqual([]);
    expect(withForeignParts(stack)).toEqual([]);
  });
}

test('two provisioners with a CA each: no node ever has a key of one and a certificate of the other', async (context) => {
  needsOpenssl(context);
  /** An RSA key takes a while, and is made for each of them. */
  const nodes = 16;
  const folder = scratchFolder();
  const caOf = (helper: Helper) => join(folder, helper);
  const signedBy = (helper: Helper) =>
    `env ${quoteWord(`X509_CA_DIR=${caOf(helper)}`)} ${testHelper('stamped-x509.sh')} ${helper}`;
  const stack = await prepareStack({
    nodes,
    tls: 'required',
    features: { pki: true },
    helper: signedBy('first'),
    discovery: { interval: '2s' },
    provisioner: { interval: '2s', identify_timeout: '20s', helper_timeout: '30s', rpc_timeout: '30s' },
  });
  const two = await TwoProvisioners.start(stack, { helper: signedBy('second') });
  await two.expectWhole(nodes, 'with a CA each');
  for (const node of filesOfNodes(stack)) {
    const helper = helpers.find((each) => isOf(node, each));
    if (helper === undefined) throw new Error(`${node.identity} is of nobody`);
    const authority = new X509Certificate(readFileSync(join(caOf(helper), 'ca-with-key.pem')));
    const certificate = new X509Certificate(node.read('ssl/certificate.pem'));
    expect([node.identity, certificate.verify(authority.publicKey)]).toEqual([node.identity, true]);
    expect(new X509Certificate(node.read('ssl/ca.pem')).fingerprint256).toBe(authority.fingerprint256);
  }
});
