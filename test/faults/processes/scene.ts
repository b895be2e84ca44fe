// A stack in which each node is to meet a fault at a step of its own: how it is set up, what its helper does for whom,
// and waiting for what comes of it. How nodes are struck is the matter of strikes.ts.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../cli/launch/project.js';
import { quoteWord } from '../../../cli/launch/quote.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { until } from '../../../cli/launch/until.js';
import { type NodeOnDisk, readNodeState } from '../../../services/mock-node/state/read-node-state.js';
import { identityOf } from '../../../services/mock-node/swarm/names.js';
import { scratchFolder } from '../../e2e/scratch-folder.js';
import { linesOf } from '../../e2e/strangers/log.js';
import { prepareStack } from '../../e2e/workspace.js';
import type { FaultStep } from '../table.js';
import { Gate } from './gate.js';
import { isConfirmation, isEnd, type NodeStory, storyOf } from './story.js';

export interface SceneOptions {
  /** There is a node for each of them, which is to meet the fault there. */
  readonly steps: readonly FaultStep[];
  /** What befalls the call of each node at its step: a kind of --fault. Undefined: nothing. */
  readonly call: string | undefined;
  /** How often nodes are sighted that do not boot. */
  readonly interval: string;
  /** Settings of the provisioner over those of all scenes. */
  readonly provisioner: Readonly<Record<string, unknown>>;
  /** Flags of the nodes over those of all scenes. */
  readonly swarm: readonly string[];
}

/** What anything may take on a slow machine: milliseconds. */
export const patienceMs = 80_000;

/** What the helper wants of the node of UPDATE_RELEASE. */
export const newRelease = '2.0.0';

/** Settings of a site that has upgrades beside tokens and keys. */
const upgrading = {
  features: { jwt: true, ed25519: true, upgrades: true },
  upgrades_repository: 'https://releases.example.net/',
};

/** As faults of the mock node name them. */
const rpcs: Readonly<Partial<Record<FaultStep, string>>> = {
  IDENTIFY: 'identify',
  GET_JWT: 'jwt',
  GENERATE_KEY: 'key',
  GET_INVENTORY: 'inventory',
  GENERATE_CSR: 'csr',
  UPDATE_RELEASE: 'update',
  CONFIGURE: 'configure',
  RESTART: 'restart',
  SHUTDOWN: 'shutdown',
};

export class Scene {
  readonly stack: Stack;
  readonly steps: readonly FaultStep[];
  readonly #folder: string;
  readonly #call: string | undefined;
  /** How many lines the provisioner's log had when it was started last. */
  #lifeBegan = 0;

  private constructor(stack: Stack, folder: string, { steps, call }: SceneOptions) {
    this.stack = stack;
    this.steps = steps;
    this.#folder = folder;
    this.#call = call;
  }

  /** Prepares everything, and starts discovery and the provisioner. */
  static async open(options: SceneOptions): Promise<Scene> {
    const folder = scratchFolder();
    const isPki = options.steps.includes('GENERATE_CSR');
    const stack = await prepareStack({
      nodes: options.steps.length,
      tls: 'required',
      features: isPki ? { jwt: true, pki: true } : { jwt: true, ed25519: true },
      helper: helperCommand(folder, isPki),
      discovery: { interval: options.interval, report_interval: '1s' },
      provisioner: {
        interval: options.interval,
        restart_splay: '300ms',
        loglevel: 'debug',
        ...(isPki ? {} : upgrading),
        ...options.provisioner,
      },
      swarm: [
        ...['--identity', swarmName],
        ...['--start-within', '100ms'],
        ...['--fault-file', faultFile(folder)],
        ...options.swarm,
      ],
    });
    const scene = new Scene(stack, folder, options);
    scene.#answer('UPDATE_RELEASE', `"upgrade": "${newRelease}"`);
    scene.#answer('SHUTDOWN', '"shutdown": true, "msg": "it is retired"');
    await stack.start('discovery');
    await scene.beginLife();
    return scene;
  }

  /** Starts the process of the nodes; only the first one that is started has the fault. */
  async startNodes(): Promise<void> {
    const file = faultFile(this.#folder);
    writeFileSync(file, existsSync(file) ? '' : this.#faults());
    await this.stack.start('mock-node');
  }

  /** Starts the provisioner anew: what was told before was told by another life. */
  async beginLife(): Promise<void> {
    const log = this.stack.logFile('provisioner');
    this.#lifeBegan = existsSync(log) ? linesOf(log).length : 0;
    await this.stack.start('provisioner');
  }

  /** @returns how many runs and confirmations the provisioner has told of since it was started last */
  presentLife(): { readonly runs: number; readonly confirmed: number } {
    const lines = linesOf(this.stack.logFile('provisioner')).slice(this.#lifeBegan);
    return { runs: lines.filter(isEnd).length, confirmed: lines.filter(isConfirmation).length };
  }

  /** @returns the node that meets the fault at the step */
  identity(step: FaultStep): string {
    return nodeName(this.steps.indexOf(step), this.steps.length);
  }

  /** How many faults of the mock node are to strike each node. */
  get strikesPerNode(): number {
    return this.#call === undefined ? 0 : 1;
  }

  directory(step: FaultStep): string {
    return join(this.stack.nodesDirectory, this.identity(step));
  }

  story(step: FaultStep): NodeStory {
    return storyOf(this.stack, this.identity(step));
  }

  state(step: FaultStep): Promise<NodeOnDisk> {
    return readNodeState(this.directory(step));
  }

  /** When the helper is asked about the node for the nth time it does this, in the words of sh, before it answers. */
  helperDoes(step: FaultStep, nth: 1 | 2, script: string): void {
    writeFileSync(join(this.#folder, `${this.identity(step)}.${nth}`), `${script}\n`);
  }

  /** When the helper is asked about the node for the nth time it waits at a gate, and then does this. */
  helperWaits(step: FaultStep, nth: 1 | 2 = 1, andThen = ''): Gate {
    const gate = new Gate(join(this.#folder, `${this.identity(step)}.gate${nth}`));
    this.helperDoes(step, nth, `read -r _ <${quoteWord(gate.path)}\n${andThen}`);
    return gate;
  }

  /** What is in the command line of every helper of the scene. */
  get helperMarker(): string {
    return `${helperName} ${this.#folder}`;
  }

  /** Resolves when the fault of the call has struck these nodes. */
  async untilStruck(steps: readonly FaultStep[]): Promise<void> {
    if (this.#call === undefined) return;
    await this.until(
      () => steps.every((step) => this.story(step).struck.length > 0),
      `a fault strikes ${steps.join(', ')}`,
    );
  }

  /** Resolves when all confirmed, or shut down. */
  async untilOver(): Promise<void> {
    const isOver = async (step: FaultStep) => {
      if (step !== 'SHUTDOWN') return this.story(step).confirmed.length > 0;
      const samples = await this.stack.metrics('mock-node');
      return samples?.sum('slipway_mock_node_nodes', { mode: 'stopped' }) === 1;
    };
    for (const step of this.steps) await this.until(() => isOver(step), `the end of the story of ${step}`);
    const isBusy = async () =>
      (await this.stack.metrics('provisioner'))?.sum('slipway_provisioner_busy_workers') !== 0;
    await this.until(async () => !(await isBusy()), 'the end of all runs');
  }

  async until(look: () => Promise<boolean> | boolean, what: string, everyMs = 25): Promise<void> {
    await until(look, { what: `${what} (${this.stack.directory})`, timeoutMs: patienceMs, everyMs });
  }

  /** One line for each node; each strikes once. */
  #faults(): string {
    if (this.#call === undefined) return '';
    return this.steps.map((step) => `${this.identity(step)}/${rpcs[step]}:${this.#call}:x1\n`).join('');
  }

  #answer(step: FaultStep, keys: string): void {
    if (!this.steps.includes(step)) return;
    writeFileSync(join(this.#folder, `${this.identity(step)}.reply`), keys);
  }
}

const helperName = 'site-helper.sh';

function helperCommand(folder: string, isPki: boolean): string {
  const script = join(projectRoot(), 'test/faults/processes', helperName);
  const words = [script, folder, join(projectRoot(), 'examples/helpers')].map(quoteWord);
  if (!isPki) return words.join(' ');
  mkdirSync(join(folder, 'ca'));
  return ['env', quoteWord(`X509_CA_DIR=${join(folder, 'ca')}`), ...words].join(' ');
}

function faultFile(folder: string): string {
  return join(folder, 'faults');
}

/** Of a swarm of one. */
const swarmName = 'node.swarm.local';

/** As the mock node calls them. */
function nodeName(index: number, nodes: number): string {
  return nodes === 1 ? swarmName : (identityOf(swarmName, index) ?? '');
}
