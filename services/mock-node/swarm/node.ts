// One machine: boots its agent from disk, reports it, takes it down when a stop is due, and boots it again.

import type { ServerCredentials } from '@grpc/grpc-js';
import { backoffMs } from '../../../shared/backoff.js';
import { sleep } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import type { Agent } from '../agent/agent.js';
import type { PendingStop } from '../agent/call.js';
import type { ServedAgent } from '../agent/served-agent.js';
import { Boot, type BootOptions } from './boot.js';

/** DOWN: between two boots. STOPPED: shut down for good, or not started yet. */
export type Phase = 'STOPPED' | 'DOWN' | 'PROVISIONING' | 'CONFIGURED' | 'STOPPING';

export interface NodeOptions extends BootOptions {
  /** How long the node is down between two boots, before jitter: milliseconds. */
  readonly downMs: number;
  readonly onPhase: (from: Phase, to: Phase) => void;
  /** How long, on average, until a boot in provisioning mode crashes: milliseconds. Undefined: never. */
  readonly crashesEveryMs?: number | undefined;
  /** Closes the connections that are open to the node now, after `graceMs`. */
  readonly cutConnections: (graceMs: number) => void;
}

/** How long a report of SHUTDOWN under way may delay the going down: milliseconds. */
const lastWordsMs = 1_000;

const bootBackoff = { initialMs: 1_000, maxMs: 30_000 };

interface Departure {
  /** Whether it boots again. */
  readonly again: boolean;
  /** How long a report under way may take to get through: milliseconds. */
  readonly lastWordsMs: number;
}

export class Node {
  readonly #options: NodeOptions;
  readonly #log: Logger;
  readonly #end = new AbortController();
  #phase: Phase = 'STOPPED';
  #boot: Boot | undefined;
  /** The coming up, or the going down and what follows it, that is under way. */
  #turning: Promise<void> = Promise.resolve();

  constructor(options: NodeOptions) {
    this.#options = options;
    this.#log = options.log.child({ identity: options.identity });
  }

  get identity(): Identity {
    return this.#options.identity;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** The agent that answers now; undefined while the node is down. */
  get agent(): Agent | undefined {
    return this.#boot?.agent;
  }

  /** The same, as callers meet it. */
  get served(): ServedAgent | undefined {
    return this.#boot?.served;
  }

  /** What the boot that is up serves with; undefined while the node is down, and without TLS. */
  get serverCredentials(): ServerCredentials | undefined {
    return this.#boot?.serverCredentials;
  }

  /** Boots. Resolves when the agent answers; a disk that fails is tried again until {@link end}. */
  start(): Promise<void> {
    this.#turning = this.#comeUp();
    return this.#turning;
  }

  /** The process ends: the node reports SHUTDOWN, within `graceMs`, and is gone. Its state stays on disk. */
  async end(graceMs: number): Promise<void> {
    this.#end.abort();
    const boot = this.#takeBoot();
    if (boot !== undefined) {
      // Where a stop is pending it was announced already.
      if (this.#phase !== 'STOPPING') boot.reporter?.announceStop();
      await boot.end(graceMs);
    }
    await this.#turning;
    this.#enter('STOPPED');
  }

  /**
   * The machine goes down without a word and boots again from what is on its disk, as after any stop. Nothing where
   * it is down. What an agent was committing at this moment, it commits.
   *
   * @param graceMs how long what was answered already has to get through; nothing is answered any more
   */
  crash(graceMs = 0): void {
    const boot = this.#takeBoot();
    if (boot === undefined) return;
    this.#options.cutConnections(graceMs);
    this.#turn(this.#goDown(boot, { again: true, lastWordsMs: 0 }));
  }

  async #comeUp(): Promise<void> {
    const { signal } = this.#end;
    if (signal.aborted) return;
    this.#enter('DOWN');
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#bootOnce();
        return;
      } catch (error) {
        this.#log.error({ err: error }, 'the node cannot start from what is on its disk');
        const { clock, random } = this.#options;
        await sleep(clock, backoffMs(attempt, bootBackoff, random), signal).catch(() => {});
      }
    }
  }

  async #bootOnce(): Promise<void> {
    // What was being committed when the node went down is told after it.
    const whileUp = (act: () => void) => {
      if (this.#boot === boot) act();
    };
    const boot: Boot = await Boot.fromDisk(
      { ...this.#options, log: this.#log },
      {
        onStopAccepted: (stop) => whileUp(() => this.#onStopAccepted(boot, stop)),
        onUpgradeAccepted: () => whileUp(() => this.#expectStop(boot)),
        onUpgradeFailed: () => whileUp(() => this.#expectNoStop(boot)),
      },
    );
    if (this.#end.signal.aborted) return await boot.end(0);
    this.#boot = boot;
    this.#enter(boot.provisioning ? 'PROVISIONING' : 'CONFIGURED');
    boot.reporter?.start();
    if (boot.provisioning) this.#crashInAWhile(boot);
  }

  /** At a random moment, as likely at any as at any other (the spans are exponential). */
  #crashInAWhile(boot: Boot): void {
    const { crashesEveryMs, clock, random } = this.#options;
    if (crashesEveryMs === undefined) return;
    clock.setTimer(-Math.log(1 - random()) * crashesEveryMs, () => {
      if (this.#boot === boot) this.crash();
    });
  }

  #onStopAccepted(boot: Boot, { rpc, at }: PendingStop): void {
    const { clock } = this.#options;
    this.#expectStop(boot);
    clock.setTimer(at - clock.monotonic(), () => {
      if (this.#boot !== boot) return;
      this.#takeBoot();
      this.#turn(this.#goDown(boot, { again: rpc !== 'Shutdown', lastWordsMs }));
    });
  }

  #turn(going: Promise<void>): void {
    this.#turning = going.catch((error) => {
      this.#log.error({ err: error }, 'the node went down for good');
    });
  }

  /** The node is let alone from here on: whoever discovers nodes is told at once. */
  #expectStop(boot: Boot): void {
    if (this.#phase === 'STOPPING') return;
    this.#enter('STOPPING');
    boot.reporter?.announceStop();
  }

  #expectNoStop(boot: Boot): void {
    this.#enter('PROVISIONING');
    boot.reporter?.goOn();
  }

  async #goDown(boot: Boot, { again, lastWordsMs: wordsMs }: Departure): Promise<void> {
    const { clock, random, downMs } = this.#options;
    this.#log.debug({ again }, 'going down');
    const down = boot.end(wordsMs);
    if (again) {
      this.#enter('DOWN');
      await sleep(clock, downMs * (0.5 + random()), this.#end.signal).catch(() => {});
      await down;
      await this.#comeUp();
    } else {
      await down;
      this.#enter('STOPPED');
    }
  }

  #takeBoot(): Boot | undefined {
    const boot = this.#boot;
    this.#boot = undefined;
    return boot;
  }

  #enter(phase: Phase): void {
    const from = this.#phase;
    if (from === phase) return;
    this.#phase = phase;
    this.#options.onPhase(from, phase);
  }
}
