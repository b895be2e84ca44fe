// One program from its start to the end of its process group: feeds it, watches its limits, and sees to
// it that nothing is left of it. What its output means is not known here.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock, Timer } from '../../../../shared/clock.js';
import { killGroup } from './process-group.js';
import type { ProgramEnd, ProgramReport, Setup } from './protocol.js';
import { Tail } from './tail.js';

const stderrKept = 2_048;
/** How long the pipes of a killed group may stay open, in the hands of a process that left the group. */
const closeMs = 500;

export interface ProgramEvents {
  started(pid: number): void;
  output(chunk: Buffer): void;
  /** Called once; nothing follows. */
  ended(report: ProgramReport): void;
}

export interface Program {
  /** Kills the process group; the end is reported as KILLED. */
  kill(): void;
  /** Stops and goes on reading stdout. */
  pause(): void;
  resume(): void;
}

/** Starts the program in a process group of its own. */
export function startProgram(setup: Setup, input: Buffer, clock: Clock, events: ProgramEvents): Program {
  const [file, ...args] = setup.command;
  try {
    const child = spawn(file, args, { env: setup.env, detached: true, stdio: 'pipe' });
    if (child.pid === undefined) return new Unstarted(child, events);
    events.started(child.pid);
    return new Running(child, child.pid, setup, input, clock, events);
  } catch (error) {
    return new Unstarted(error, events);
  }
}

/** A program that the system would not start. */
class Unstarted implements Program {
  constructor(failure: unknown, events: ProgramEvents) {
    const report = (error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      events.ended({ end: { how: 'NOT_STARTED', code }, stderr: '', stderrBytes: 0 });
    };
    if (isChildProcess(failure)) failure.once('error', report);
    else setImmediate(report, failure);
  }

  kill(): void {}
  pause(): void {}
  resume(): void {}
}

function isChildProcess(value: unknown): value is ChildProcess {
  return typeof value === 'object' && value !== null && 'stdio' in value;
}

class Running implements Program {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pid: number;
  readonly #clock: Clock;
  readonly #events: ProgramEvents;
  readonly #stderr = new Tail(stderrKept);
  /** Ends the program at its time limit, and later the wait for its pipes. */
  #timer: Timer;
  #outputBytes = 0;
  #outputEnded = false;
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  /** How it ended, once that is settled; what comes after changes nothing. */
  #end: ProgramEnd | undefined;
  #reported = false;

  constructor(
    child: ChildProcessWithoutNullStreams,
    pid: number,
    setup: Setup,
    input: Buffer,
    clock: Clock,
    events: ProgramEvents,
  ) {
    this.#child = child;
    this.#pid = pid;
    this.#clock = clock;
    this.#events = events;
    this.#timer = clock.setTimer(setup.timeoutMs, () => this.#settle({ how: 'TIMED_OUT' }));
    child.on('exit', (code, signal) => {
      this.#exit = { code, signal };
      this.#settleIfDone();
    });
    child.on('close', () => {
      this.#outputEnded = true;
      this.#settleIfDone();
      this.#report();
    });
    child.on('error', ignore);
    for (const stream of pipes(child)) stream.on('error', ignore);
    child.stdout.on('data', (chunk: Buffer) => this.#output(chunk, setup.maxOutputBytes));
    child.stdout.on('close', () => {
      this.#outputEnded = true;
      this.#settleIfDone();
    });
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    // A program that does not read all of it, or closes stdin, is within its rights.
    child.stdin.end(input);
  }

  kill(): void {
    this.#settle({ how: 'KILLED' });
  }

  pause(): void {
    this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
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
    if (this.#exit === undefined) return;
    if (this.#exit.code === 0 && !this.#outputEnded) return;
    this.#settle({ how: 'EXITED', ...this.#exit });
  }

  #settle(end: ProgramEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#timer.cancel();
    killGroup(this.#pid, this.#exit !== undefined);
    this.#timer = this.#clock.setTimer(closeMs, () => this.#report());
  }

  #report(): void {
    if (this.#reported) return;
    this.#reported = true;
    this.#timer.cancel();
    for (const stream of pipes(this.#child)) stream.destroy();
    const end = this.#end ?? { how: 'KILLED' };
    this.#events.ended({ end, stderr: this.#stderr.toString(), stderrBytes: this.#stderr.total });
  }
}

function pipes(child: ChildProcessWithoutNullStreams): Array<Readable | Writable> {
  return [child.stdin, child.stdout, child.stderr];
}

function ignore(): void {}
