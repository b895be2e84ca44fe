// The spawner's work: starts programs as the service asks and passes on what becomes of them. When the
// service is gone, however it went, everything that runs is killed.

import type { Duplex } from 'node:stream';
import type { Clock } from '../../../../shared/clock.js';
import { CoprocessPool } from '../coprocess/pool.js';
import { FrameReader } from './frames.js';
import { notStarted } from './launch.js';
import type { PipePool } from './pipes.js';
import { FreshPrograms } from './program.js';
import { decodeToSpawner, encodeMessage, type FromSpawner, type Setup, type ToSpawner } from './protocol.js';
import type { Groups, Program, ProgramSource } from './source.js';

/** Resolves when the service has closed the channel and every program has ended. */
export async function serve(channel: Duplex, pool: PipePool, clock: Clock): Promise<void> {
  const programs = new Programs(channel, pool, clock);
  const reader = new FrameReader();
  try {
    for await (const piece of channel) {
      for (const frame of reader.push(piece)) await programs.handle(decodeToSpawner(frame));
    }
  } catch {
    // A channel that breaks is a service that is gone.
  }
  await programs.close();
}

class Programs {
  readonly #channel: Duplex;
  readonly #pool: PipePool;
  readonly #clock: Clock;
  readonly #running = new Map<number, Program>();
  /** Of long-lived programs whose answer is being looked at, by the input that they answered. */
  readonly #releases = new Map<number, (fits: boolean) => void>();
  #source: ProgramSource | undefined;
  #closed: (() => void) | undefined;

  constructor(channel: Duplex, pool: PipePool, clock: Clock) {
    this.#channel = channel;
    this.#pool = pool;
    this.#clock = clock;
    channel.on('drain', () => {
      for (const program of this.#running.values()) program.resume();
    });
  }

  /** Takes one message; they are taken in the order in which they came. */
  async handle(message: ToSpawner): Promise<void> {
    switch (message.type) {
      case 'SETUP':
        this.#source = this.#sourceOf(message.setup);
        break;
      case 'RUN':
        await this.#start(message.id, message.input);
        break;
      case 'KILL':
        this.#running.get(message.id)?.kill();
        break;
      case 'RELEASE':
        this.#releases.get(message.id)?.(message.fits);
        this.#releases.delete(message.id);
        break;
    }
  }

  /** Kills everything and resolves when it has ended. */
  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#closed = resolve;
      for (const program of this.#running.values()) program.kill();
      if (this.#running.size === 0) resolve();
    });
    await Promise.all([ended, this.#source?.close()]);
  }

  #sourceOf(setup: Setup): ProgramSource {
    const groups: Groups = {
      started: (pid) => this.#send({ type: 'STARTED', pid }),
      gone: (pid, loss) => this.#send({ type: 'GONE', pid, loss }),
    };
    switch (setup.mode) {
      case 'exec':
        return new FreshPrograms(setup, this.#pool, this.#clock, groups);
      case 'persistent':
        return new CoprocessPool(setup, this.#pool, this.#clock, groups);
    }
  }

  async #start(id: number, input: Buffer): Promise<void> {
    if (this.#source === undefined) return;
    try {
      const program = await this.#source.start(input, {
        output: (chunk) => this.#send({ type: 'OUTPUT', id, chunk }),
        ended: (report, release) => {
          this.#running.delete(id);
          if (release !== undefined) this.#releases.set(id, release);
          this.#send({ type: 'ENDED', id, report });
          if (this.#running.size === 0) this.#closed?.();
        },
      });
      this.#running.set(id, program);
    } catch (error) {
      this.#send({ type: 'ENDED', id, report: notStarted(error) });
    }
  }

  #send(message: FromSpawner): void {
    if (!this.#channel.writable) return;
    const taken = this.#channel.write(encodeMessage(message));
    // What the service does not read yet stays with the programs and not in memory here.
    if (!taken) for (const program of this.#running.values()) program.pause();
  }
}
