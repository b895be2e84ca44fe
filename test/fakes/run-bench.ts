// One node, one runner and all that it needs, none of it real: for tests of the sequence.

import { randomBytes } from 'node:crypto';
import { defaultDenyPatterns, parseDenyList } from '../../services/provisioner/enrolment/deny-list.js';
import { Breaker } from '../../services/provisioner/fleet/breaker.js';
import type { SightedNode } from '../../services/provisioner/fleet/node-event.js';
import { Confirmations } from '../../services/provisioner/run/confirmations.js';
import { Fences } from '../../services/provisioner/run/fences.js';
import type { RunInProgress, RunResult, RunTask, StartRun } from '../../services/provisioner/run/run.js';
import type {
  Enrolment,
  RunFeatures,
  RunLogFields,
  UpgradeSettings,
} from '../../services/provisioner/run/run-context.js';
import { createRunner } from '../../services/provisioner/run/runner.js';
import { Secret } from '../../shared/secret.js';
import { FakeClock, settle } from './fake-clock.js';
import { FakeHelper } from './fake-helper.js';
import { FakeNode, type FakeRpc } from './fake-node-agent.js';
import { RecordingSink } from './recording-sink.js';

const benchSettings = {
  identifyTimeoutMs: 2_000,
  rpcTimeoutMs: 10_000,
  runTimeoutMs: 600_000,
  restartSplayMs: 1_000,
  upgrades: { repository: 'https://repo.example.net/', optional: false, timeoutMs: 120_000 },
  features: { jwt: false, ed25519: false, pki: false, upgrades: false },
};

const intervalMs = 60_000;

export interface RunBenchOptions {
  readonly tokens?: readonly string[];
  readonly runTimeoutMs?: number;
  /** Failures of the helper in a row that stop all runs. Default 20. */
  readonly breakerLimit?: number;
  readonly features?: Partial<RunFeatures>;
  readonly upgrades?: Partial<UpgradeSettings>;
  readonly enrolment?: Partial<Enrolment>;
}

export class RunBench {
  readonly clock = new FakeClock();
  readonly node = new FakeNode(this.clock);
  readonly helper = new FakeHelper();
  readonly sink = new RecordingSink();
  readonly breaker: Breaker;
  readonly warnings: string[] = [];
  readonly infos: string[] = [];
  readonly faults: unknown[] = [];
  readonly confirmations = new Confirmations({
    clock: this.clock,
    events: this.sink,
    askNode: async () => false,
    timeoutMs: () => 120_000,
  });
  readonly startRun: StartRun;
  #working = 0;

  constructor(options: RunBenchOptions = {}) {
    const { clock, sink } = this;
    // In the middle: no jitter.
    const random = () => 0.5;
    this.breaker = new Breaker({ limit: options.breakerLimit ?? 20, clock, random, sink });
    this.startRun = createRunner({
      dial: this.node.dial,
      helper: this.helper,
      breaker: this.breaker,
      events: sink,
      clock,
      random,
      newNonce: () => randomBytes(32),
      log: {
        info: (_fields: RunLogFields, message: string) => this.infos.push(message),
        warn: (_fields: RunLogFields, message: string) => this.warnings.push(message),
        error: ({ err }: { err: unknown }) => this.faults.push(err),
      },
      intervalMs: () => intervalMs,
      fences: new Fences(this.clock),
      confirmations: this.confirmations,
      tokens: () => (options.tokens ?? ['s3cret']).map((token) => new Secret(token)),
      settings: {
        ...benchSettings,
        runTimeoutMs: options.runTimeoutMs ?? benchSettings.runTimeoutMs,
        features: { ...benchSettings.features, ...options.features },
        upgrades: { ...benchSettings.upgrades, ...options.upgrades },
      },
      enrolment: {
        denyList: parseDenyList(defaultDenyPatterns),
        serverJwtValidityMs: 365 * 24 * 3_600_000,
        ...this.#counting(options.enrolment),
      },
    });
  }

  /** The clock must not run on while something is signed or verified: that takes time of the machine's. */
  #counting({ tokens, signing, ...others }: Partial<Enrolment> = {}): Partial<Enrolment> {
    const counted = async <T>(work: Promise<T>): Promise<T> => {
      this.#working += 1;
      return await work.finally(() => {
        this.#working -= 1;
      });
    };
    return {
      ...others,
      ...(tokens && { tokens: { verify: (token, now) => counted(tokens.verify(token, now)) } }),
      ...(signing && {
        signing: {
          current: async () => {
            const state = await signing.current();
            if (state.kind === 'UNUSABLE') return state;
            const { expiresAt, mint } = state.issuer;
            return { ...state, issuer: { expiresAt, mint: (claims, now) => counted(mint(claims, now)) } };
          },
        },
      }),
    };
  }

  /** The node as discovery describes it now. */
  get sighted(): SightedNode {
    return {
      identity: this.node.identity,
      bootId: this.node.bootId,
      address: '192.0.2.1:7430',
      certificateSha256: '',
      source: 'REPORTED',
      discovery: 'discovery:7412',
      epoch: 'e1',
    };
  }

  start(task: Partial<RunTask> = {}): RunInProgress {
    return this.startRun({ node: this.sighted, fetched: undefined, ...task });
  }

  /** Runs to the end, however long the clock has to run for it. */
  async run(task: Partial<RunTask> = {}): Promise<RunResult> {
    return this.finish(this.start(task));
  }

  async finish(run: RunInProgress): Promise<RunResult> {
    let result: RunResult | undefined;
    void run.finished.then((ended) => {
      result = ended;
    });
    for (let waited = 0; result === undefined; waited += 100) {
      if (waited > 3_600_000) throw new Error('the run does not end');
      do await settle();
      while (this.#working > 0 || this.node.working > 0);
      if (result === undefined) await this.clock.advance(100);
    }
    return result;
  }

  /** Runs to the end; at the first call of one RPC, before the node has looked at it, something happens. */
  async runAnd(rpc: FakeRpc, happens: (run: RunInProgress) => void, task: Partial<RunTask> = {}) {
    let happened = false;
    this.node.onCall = (call) => {
      if (happened || call.rpc !== rpc) return;
      happened = true;
      happens(run);
    };
    const run = this.start(task);
    return await this.finish(run);
  }

  /** Steps that were completed, and failed attempts as `STEP code reason`. */
  get story(): string[] {
    return this.sink.events.flatMap((event) => {
      if (event.type === 'STEP_COMPLETED') return [event.step];
      if (event.type !== 'STEP_FAILED') return [];
      return [[event.step, event.code, event.reason].filter(Boolean).join(' ')];
    });
  }
}

/** A node at 1.0.0 whose helper wants 2.0.0. */
export function upgradeBench(options: RunBenchOptions = {}, upgrade = '2.0.0'): RunBench {
  const bench = new RunBench({ ...options, features: { upgrades: true, ...options.features } });
  bench.node.inventory = { ...bench.node.inventory, upgradable: true };
  bench.helper.replies({ upgrade });
  return bench;
}
