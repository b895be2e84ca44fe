// A program that has its input to itself, from its start to the end of its process group: feeds it, watches its
// limits, and sees to it that nothing is left of it. What its output means is not known here.

import type { Clock, Timer } from '../../../../shared/clock.js';
import { type Launched, launch } from './launch.js';
import type { PipePool, ProgramPipes } from './pipes.js';
import { killGroup } from './process-group.js';
import { type ProgramEnd, type Setup, stderrKept } from './protocol.js';
import type { Groups, Program, ProgramEvents, ProgramSource } from './source.js';
import { Tail } from './tail.js';

/** How long the pipes of a killed group may stay open, in the hands of a process that left the group. */
const closeMs = 500;

/** A process for each input. */
export class FreshPrograms implements ProgramSource {
  readonly #setup: Setup;
  readonly #pipes: PipePool;
  readonly #clock: Clock;
  readonly #groups: Groups;

  constructor(setup: Setup, pipes: PipePool, clock: Clock, groups: Groups) {
    this.#setup = setup;
    this.#pipes = pipes;
    this.#clock = clock;
    this.#groups = groups;
  }

  async start(input: Buffer, events: ProgramEvents): Promise<Program> {
    return startProgram(this.#setup, input, await this.#pipes.take(), this.#clock, this.#groups, events);
  }

  /** None works on no input. */
  async close(): Promise<void> {}
}

/**
 * Starts the program in a process group of its own.
 *
 * @param pipes what it is connected with; undefined for what Node makes itself
 * @throws the system's error where it cannot be started
 */
export async function startProgram(
  setup: Setup,
  input: Buffer,
  pipes: ProgramPipes | undefined,
  clock: Clock,
  groups: Groups,
  events: ProgramEvents,
): Promise<Program> {
  const launched = await launch(setup, pipes);
  groups.started(launched.pid);
  return new Running(launched, setup, input, clock, groups, events);
}

class Running implements Program {
  readonly #launched: Launched;
  readonly #clock: Clock;
  readonly #groups: Groups;
  readonly #events: ProgramEvents;
  readonly #stderr = new Tail(stderrKept);
  /** Ends the program at its time limit, and later the wait for its pipes. */
  #timer: Timer;
  #outputBytes = 0;
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  /** How it ended, once that is settled; what comes after changes nothing. */
  #end: ProgramEnd | undefined;
  #reported = false;

  constructor(
    launched: Launched,
    setup: Setup,
    input: Buffer,
    clock: Clock,
    groups: Groups,
    events: ProgramEvents,
  ) {
    this.#launched = launched;
    this.#clock = clock;
    this.#groups = groups;
    this.#events = events;
    this.#timer = clock.setTimer(setup.timeoutMs, () => this.#settle({ how: 'TIMED_OUT' }));
    const { child, stdin, stdout, stderr } = launched;
    child.on('exit', (code, signal) => {
      this.#exit = { code, signal };
      this.#settleIfDone();
    });
    stdout.on('data', (chunk: Buffer) => this.#output(chunk, setup.maxOutputBytes));
    stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    for (const stream of [stdout, stderr]) stream.on('close', () => this.#settleIfDone());
    // A program that does not read all of it, or closes stdin, is within its rights.
    stdin.end(input);
  }

  kill(): void {
    this.#settle({ how: 'KILLED' });
  }

  pause(): void {
    this.#launched.stdout.pause();
  }

  resume(): void {
    this.#launched.stdout.resume();
  }

  #output(chunk: Buffer, limit: number): void {
    if (this.#end !== undefined) return;
    this.#outputBytes += chunk.length;
    if (this.#outputBytes > limit) this.#settle({ how: 'TOO_LARGE' });
    else this.#events.output(chunk);
  }

  /**
   * A program that failed is done when it exits. One that succeeded is done when nobody can add to its
   * output any more: whoever holds stdout open may still be writing for it.
   */
  #settleIfDone(): void {
    const { stdout, stderr } = this.#launched;
    if (this.#exit === undefined) return;
    if (this.#exit.code !== 0 || stdout.closed) this.#settle({ how: 'EXITED', ...this.#exit });
    if (stdout.closed && stderr.closed) this.#report();
  }

  #settle(end: ProgramEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#timer.cancel();
    killGroup(this.#launched.pid, this.#exit !== undefined);
    // What it still writes is not wanted, but only its end shows that nobody writes any more.
    this.#launched.stdout.resume();
    this.#timer = this.#clock.setTimer(closeMs, () => this.#report());
  }

  #report(): void {
    if (this.#reported) return;
    this.#reported = true;
    this.#timer.cancel();
    this.#launched.release();
    this.#groups.gone(this.#launched.pid);
    const end = this.#end ?? { how: 'KILLED' };
    this.#events.ended({ end, stderr: this.#stderr.toString(), stderrBytes: this.#stderr.total });
  }
}
