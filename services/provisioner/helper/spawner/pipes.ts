// Real pipes for helpers. Node gives its children sockets instead, which /dev/stdin and /dev/stderr cannot
// be opened on and which some shells take for a remote login; helpers are written for pipes.

import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
/** Names a file without opening it; Node has no constant for it. Linux only. */
const O_PATH = 0o10000000;
const batch = 12;
/** So many failures in a row mean that this system has no such pipes. */
const patience = 3;

/** The spawner's ends of a program's pipes. */
export interface ProgramPipes {
  /** The program's own ends, for spawn(); close them with {@link closeTheirs} after it. */
  readonly theirs: readonly [stdin: number, stdout: number, stderr: number];
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  closeTheirs(): void;
  /** Hands the pipes on to the next program, but for those that somebody may still hold. */
  release(how: 'used' | 'unused'): void;
}

/**
 * Node can neither make a pipe nor pass one on, but Linux opens both ends of one that it is shown. So a
 * shell makes a few, and they are opened anew for each program; between programs a pipe is empty, since
 * nobody has it open.
 */
export class PipePool {
  readonly #onUnavailable: (why: string) => void;
  readonly #free: number[] = [];
  #failures = 0;

  /** @param onUnavailable called once, where this system has no such pipes */
  constructor(onUnavailable: (why: string) => void) {
    this.#onUnavailable = onUnavailable;
  }

  /**
   * Pipes for one program; undefined where this system has none to give.
   *
   * @throws the system's error where too many files are open
   */
  async take(): Promise<ProgramPipes | undefined> {
    if (this.#free.length < 3 && this.#failures < patience) await this.#grow();
    const [input, output, errors] = this.#free.splice(-3);
    if (input === undefined || output === undefined || errors === undefined) return undefined;
    return this.#open(input, output, errors);
  }

  #open(input: number, output: number, errors: number): ProgramPipes {
    const ends: number[] = [];
    const open = (pipe: number, flags: number) => {
      const fd = openEnd(pipe, flags);
      ends.push(fd);
      return fd;
    };
    try {
      const theirs = [open(input, O_RDONLY), open(output, O_WRONLY), open(errors, O_WRONLY)] as const;
      const ours = [
        open(input, O_WRONLY | O_NONBLOCK),
        open(output, O_RDONLY | O_NONBLOCK),
        open(errors, O_RDONLY | O_NONBLOCK),
      ] as const;
      const stdin = new Socket({ fd: ours[0], readable: false, writable: true });
      const stdout = new Socket({ fd: ours[1], readable: true, writable: false });
      const stderr = new Socket({ fd: ours[2], readable: true, writable: false });
      const release = (how: 'used' | 'unused') => {
        for (const stream of [stdin, stdout, stderr]) stream.destroy();
        this.#giveBack(input, how === 'unused' || !hasReader(input));
        // Whoever still has an end open for writing could write to the next program's reader.
        this.#giveBack(output, how === 'unused' || stdout.readableEnded);
        this.#giveBack(errors, how === 'unused' || stderr.readableEnded);
      };
      return { theirs, stdin, stdout, stderr, closeTheirs: () => closeAll(theirs), release };
    } catch (error) {
      closeAll([...ends, input, output, errors]);
      throw error;
    }
  }

  #giveBack(pipe: number, isClean: boolean): void {
    if (isClean) this.#free.push(pipe);
    else closeSync(pipe);
  }

  async #grow(): Promise<void> {
    try {
      this.#free.push(...(await makePipes(batch)));
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures === patience)
        this.#onUnavailable(error instanceof Error ? error.message : String(error));
    }
  }
}

function closeAll(fds: readonly number[]): void {
  for (const fd of fds) closeSync(fd);
}

function openEnd(pipe: number, flags: number): number {
  return openSync(`/proc/self/fd/${pipe}`, flags);
}

/** Whether a process that ran before still has the pipe as its standard input. */
function hasReader(pipe: number): boolean {
  const fd = openEnd(pipe, O_WRONLY | O_NONBLOCK);
  try {
    writeSync(fd, '\n');
    return true;
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
}

/** Makes pipes and returns a descriptor for each that names it and holds neither of its ends. */
async function makePipes(count: number): Promise<number[]> {
  // In each pipeline both sides wait for a line that never comes. The right one says its process id once
  // the pipe is its standard input.
  const pipeline = '(read -r x <&3) | (read -r pid x </proc/self/stat; echo "$pid"; read -r x) &';
  const script = `exec 3<&0; i=0; while [ $i -lt ${count} ]; do ${pipeline} i=$((i + 1)); done; wait`;
  const shell = spawn('/bin/sh', ['-c', script], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const exited = new Promise((resolve) => {
    shell.on('close', resolve);
    shell.on('error', resolve);
  });
  const pipes: number[] = [];
  try {
    for (const pid of await firstLines(shell.stdout, count)) {
      const path = `/proc/${pid}/fd/0`;
      const pipe = openSync(path, O_PATH);
      pipes.push(pipe);
      if (!readlinkSync(`/proc/self/fd/${pipe}`).startsWith('pipe:')) throw new Error(`${path} is no pipe`);
    }
    return pipes;
  } catch (error) {
    closeAll(pipes);
    throw error;
  } finally {
    shell.stdin.destroy();
    await exited;
  }
}

async function firstLines(stream: AsyncIterable<Buffer>, count: number): Promise<string[]> {
  let text = '';
  for await (const chunk of stream) {
    text += chunk.toString();
    const lines = text.split('\n');
    if (lines.length > count) return lines.slice(0, count);
  }
  throw new Error('the shell made no pipes');
}
