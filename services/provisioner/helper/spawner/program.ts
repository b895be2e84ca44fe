// One program from its start to the end of its process group: feeds it, watches its limits, and sees to
// it that nothing is left of it. What its output means is not known here.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock, Timer } from '../../../../shared/clock.js';
import type { ProgramPipes } from './pipes.js';
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

interface Streams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Starts the program in a process group of its own.
 *
 * @param pipes what it is connected with; undefined for what Node makes itself
 */
export function startProgram(
  setup: Setup,
  input: Buffer,
  pipes: ProgramPipes | undefined,
  clock: Clock,
  events: ProgramEvents,
): Program {
  const [file, ...args] = setup.command;
  const fail = (error: unknown) => {
    pipes?.release('unused');
    events.ended(notStarted(error));
  };
  const ended = (report: ProgramReport) => {
    pipes?.release('used');
    events.ended(report);
  };
  try {
    const stdio = pipes === undefined ? 'pipe' : [...pipes.theirs];
    const child = spawn(file, args, { env: setup.env, detached: true, stdio });
    const streams = pipes ?? streamsOf(child);
    if (child.pid === undefined || streams === undefined) {
      child.once('error', fail);
      return unstarted;
    }
    events.started(child.pid);
    return new Running(child, child.pid, streams, setup, input, clock, { ...events, ended });
  } catch (error) {
    setImmediate(fail, error);
    return unstarted;
  } finally {
    pipes?.closeTheirs();
  }
}

function streamsOf({ stdin, stdout, stderr }: ChildProcess): Streams | undefined {
  return stdin !== null && stdout !== null && stderr !== null ? { stdin, stdout, stderr } : undefined;
}

/** @returns what is reported of a program that could not be started */
export function notStarted(error: unknown): ProgramReport {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return { end: { how: 'NOT_STARTED', code }, stderr: '', stderrBytes: 0 };
}

/** A program that the system would not start. */
const unstarted: Program = { kill: ignore, pause: ignore, resume: ignore };

class Running implements Program {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #streams: Streams;
  readonly #clock: Clock;
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
    child: ChildProcess,
    pid: number,
    streams: Streams,
    setup: Setup,
    input: Buffer,
    clock: Clock,
    events: ProgramEvents,
  ) {
    this.#child = child;
    this.#pid = pid;
    this.#streams = streams;
    this.#clock = clock;
    this.#events = events;
    this.#timer = clock.setTimer(setup.timeoutMs, () => this.#settle({ how: 'TIMED_OUT' }));
    child.on('error', ignore);
    child.on('exit', (code, signal) => {
      this.#exit = { code, signal };
      this.#settleIfDone();
    });
    const { stdin, stdout, stderr } = streams;
    stdout.on('data', (chunk: Buffer) => this.#output(chunk, setup.maxOutputBytes));
    stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    for (const stream of [stdout, stderr]) stream.on('close', () => this.#settleIfDone());
    for (const stream of [stdin, stdout, stderr]) stream.on('error', ignore);
    // A program that does not read all of it, or closes stdin, is within its rights.
    stdin.end(input);
  }

  kill(): void {
    this.#settle({ how: 'KILLED' });
  }

  pause(): void {
    this.#streams.stdout.pause();
  }

  resume(): void {
    this.#streams.stdout.resume();
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
    const { stdout, stderr } = this.#streams;
    if (this.#exit === undefined) return;
    if (this.#exit.code !== 0 || stdout.closed) this.#settle({ how: 'EXITED', ...this.#exit });
    if (stdout.closed && stderr.closed) this.#report();
  }

  #settle(end: ProgramEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#timer.cancel();
    killGroup(this.#pid, this.#exit !== undefined);
    // What it still writes is not wanted, but only its end shows that nobody writes any more.
    this.#streams.stdout.resume();
    this.#timer = this.#clock.setTimer(closeMs, () => this.#report());
  }

  #report(): void {
    if (this.#reported) return;
    this.#reported = true;
    this.#timer.cancel();
    const { stdin, stdout, stderr } = this.#streams;
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    this.#child.unref();
    const end = this.#end ?? { how: 'KILLED' };
    this.#events.ended({ end, stderr: this.#stderr.toString(), stderrBytes: this.#stderr.total });
  }
}

function ignore(): void {}
