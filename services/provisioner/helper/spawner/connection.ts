// The service's side of one spawner process: starts it, asks it to run programs, and cleans up after it
// when it dies. client.ts starts another one then.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { ownProgram } from '../../../../shared/process/own-program.js';
import { Bytes } from './bytes.js';
import { FrameReader } from './frames.js';
import { killGroup } from './process-group.js';
import {
  decodeFromSpawner,
  encodeMessage,
  type FromSpawner,
  type Loss,
  type ProgramReport,
  type Setup,
  type ToSpawner,
} from './protocol.js';

/** What became of a program. */
export interface ProgramResult extends ProgramReport {
  readonly stdout: Bytes;
  /**
   * To be called once, where it is there: nothing else is asked of a long-lived program that has answered before it is
   * said whether the answer may be one to what it was asked. Where it may not, the program is killed.
   */
  readonly release?: (fits: boolean) => void;
}

/** The spawner ended before the program did. The program was killed. */
export class SpawnerLostError extends Error {
  override readonly name = 'SpawnerLostError';
}

interface Running {
  readonly stdout: Bytes;
  resolve(result: ProgramResult): void;
  reject(error: SpawnerLostError): void;
}

export class SpawnerConnection {
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #onGone: (loss: Loss) => void;
  readonly #running = new Map<number, Running>();
  /** The leaders of what the spawner has running. */
  readonly #groups = new Set<number>();
  #lastId = 0;
  #isEnding = false;
  #gone: SpawnerLostError | undefined;
  /** Resolves when the process has ended and everything that it ran was told to. */
  readonly ended: Promise<SpawnerLostError>;

  /** @param onGone called when a long-lived program is gone that no run was failed by */
  constructor(setup: Setup, onGone: (loss: Loss) => void) {
    this.#onGone = onGone;
    this.#child = launch(setup.env);
    // The fourth of stdio is a pipe both ways; see launch().
    this.#channel = this.#child.stdio[3] as Duplex;
    const reader = new FrameReader();
    this.#channel.on('data', (piece: Buffer) => {
      for (const frame of reader.push(piece)) this.#handle(decodeFromSpawner(frame));
    });
    // Without a channel a spawner is of no use; one that was told to end does so by itself.
    this.#channel.on('end', () => {
      if (!this.#isEnding) this.kill();
    });
    this.#channel.on('error', () => this.kill());
    this.#channel.write(encodeMessage({ type: 'SETUP', setup }));
    this.ended = new Promise((resolve) => {
      const end = (how: string) => resolve(this.#lose(how));
      this.#child.on('close', (code, signal) => end(signal ?? `exit code ${code}`));
      this.#child.on('error', (error) => {
        if (this.#child.pid === undefined) end(error.message);
      });
    });
  }

  /**
   * Runs the program once. When the signal is aborted the program is killed, and reported as KILLED once
   * nothing is left of it.
   *
   * @throws SpawnerLostError
   */
  run(input: Buffer, signal: AbortSignal): Promise<ProgramResult> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    this.#lastId += 1;
    const id = this.#lastId;
    const onAbort = () => this.#send({ type: 'KILL', id });
    const result = new Promise<ProgramResult>((resolve, reject) => {
      this.#running.set(id, { stdout: new Bytes(), resolve, reject });
      this.#channel.write(encodeMessage({ type: 'RUN', id, input }));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    return result.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Lets the spawner end what it runs, and itself. */
  end(): void {
    this.#isEnding = true;
    this.#channel.end();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(message: ToSpawner): void {
    if (this.#channel.writable) this.#channel.write(encodeMessage(message));
  }

  #handle(message: FromSpawner): void {
    switch (message.type) {
      case 'STARTED':
        this.#groups.add(message.pid);
        break;
      case 'GONE':
        this.#groups.delete(message.pid);
        if (message.loss !== undefined) this.#onGone(message.loss);
        break;
      case 'OUTPUT':
        this.#running.get(message.id)?.stdout.push(message.chunk);
        break;
      case 'ENDED': {
        const running = this.#running.get(message.id);
        this.#running.delete(message.id);
        running?.resolve({
          ...message.report,
          stdout: running.stdout,
          ...(message.report.end.how === 'ANSWERED' && {
            release: (fits) => this.#send({ type: 'RELEASE', id: message.id, fits }),
          }),
        });
        break;
      }
    }
  }

  #lose(how: string): SpawnerLostError {
    const error = new SpawnerLostError(`the process that starts helpers ended (${how})`);
    this.#gone = error;
    for (const pid of this.#groups) killGroup(pid, false);
    this.#groups.clear();
    for (const { reject } of this.#running.values()) reject(error);
    this.#running.clear();
    return error;
  }
}

/** What the spawner makes is short-lived: a small nursery keeps 20 MB of it from piling up. */
const smallHeap = ['--max-semi-space-size=1'];

function launch(env: Readonly<Record<string, string>>): ChildProcess {
  // What NODE_OPTIONS asks of the service, such as instrumentation, would only make the spawner large.
  const { NODE_OPTIONS: _, ...rest } = env;
  return spawn(process.execPath, [...smallHeap, ...ownProgram(import.meta.url, './main')], {
    env: rest,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
}
