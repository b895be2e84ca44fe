// Starts the program in a process group of its own, between pipes.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { ProgramPipes } from './pipes.js';
import type { ProgramReport, Setup } from './protocol.js';

export interface Launched {
  readonly child: ChildProcess;
  /** Also the number of its group. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Lets go of process and pipes, whether they are done or not. */
  release(): void;
}

/**
 * Starts the program.
 *
 * @param pipes what it is connected with; undefined for what Node makes itself
 * @throws the system's error where it cannot be started
 */
export async function launch(setup: Setup, pipes: ProgramPipes | undefined): Promise<Launched> {
  try {
    const child = spawnBetween(setup, pipes);
    const streams = pipes ?? streamsOf(child);
    if (child.pid === undefined || streams === undefined) throw (await once(child, 'error'))[0];
    const { stdin, stdout, stderr } = streams;
    child.on('error', ignore);
    for (const stream of [stdin, stdout, stderr]) stream.on('error', ignore);
    const release = () => {
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
      child.unref();
      pipes?.release('used');
    };
    return { child, pid: child.pid, stdin, stdout, stderr, release };
  } catch (error) {
    pipes?.release('unused');
    throw error;
  }
}

/** @returns what is reported of a program that could not be started */
export function notStarted(error: unknown): ProgramReport {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return { end: { how: 'NOT_STARTED', code }, stderr: '', stderrBytes: 0 };
}

function spawnBetween({ command, env }: Setup, pipes: ProgramPipes | undefined): ChildProcess {
  const [file, ...args] = command;
  try {
    const stdio = pipes === undefined ? 'pipe' : [...pipes.theirs];
    return spawn(file, args, { env, detached: true, stdio });
  } finally {
    pipes?.closeTheirs();
  }
}

function streamsOf({
  stdin,
  stdout,
  stderr,
}: ChildProcess): Pick<Launched, 'stdin' | 'stdout' | 'stderr'> | undefined {
  return stdin !== null && stdout !== null && stderr !== null ? { stdin, stdout, stderr } : undefined;
}

function ignore(): void {}
