// Runs programs through a spawner process and keeps one at hand: when it dies, the next run starts
// another.

import type { Clock } from '../../../../shared/clock.js';
import { type ProgramResult, SpawnerConnection, SpawnerLostError } from './connection.js';
import type { Loss, Setup } from './protocol.js';

/** Runs the same program again and again, with another input each time. */
export interface ProgramRunner {
  /**
   * Has the program work on an input. When the signal is aborted the program is killed with its process group, and
   * the end is KILLED once nothing is left of it.
   *
   * @throws SpawnerLostError where the spawner ended first; the program was killed
   */
  run(input: Buffer, signal: AbortSignal): Promise<ProgramResult>;
  /** Kills what runs, and resolves when nothing is left. */
  close(): Promise<void>;
}

/** How much longer than a program's time limit the spawner may take to say how it ended. */
const patienceMs = 10_000;
const closePatienceMs = 2_000;

export interface SpawnerOptions {
  readonly setup: Setup;
  readonly clock: Clock;
  /** Called when a spawner died without being told to. */
  readonly onLost: (error: SpawnerLostError) => void;
  /** Called when a long-lived program is gone that no run was failed by. */
  readonly onGone: (loss: Loss) => void;
}

/** Starts a spawner at once, while the service is still small. */
export class Spawner implements ProgramRunner {
  readonly #options: SpawnerOptions;
  #connection: SpawnerConnection | undefined;
  #closed = false;

  constructor(options: SpawnerOptions) {
    this.#options = options;
    this.#connect();
  }

  async run(input: Buffer, signal: AbortSignal): Promise<ProgramResult> {
    if (this.#closed) throw new SpawnerLostError('the service is stopping');
    const connection = this.#connection ?? this.#connect();
    // A spawner that says nothing, such as one that somebody stopped, is as good as dead.
    const { setup, clock } = this.#options;
    const timer = clock.setTimer(setup.timeoutMs + patienceMs, () => connection.kill());
    try {
      return await connection.run(input, signal);
    } finally {
      timer.cancel();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.end();
    const timer = this.#options.clock.setTimer(closePatienceMs, () => connection.kill());
    await connection.ended;
    timer.cancel();
  }

  #connect(): SpawnerConnection {
    const connection = new SpawnerConnection(this.#options.setup, this.#options.onGone);
    this.#connection = connection;
    void connection.ended.then((error) => {
      if (this.#connection === connection) this.#connection = undefined;
      if (!this.#closed) this.#options.onLost(error);
    });
    return connection;
  }
}
