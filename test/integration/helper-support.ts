// What the tests with real helpers share: scripts in a folder of their own, the helper over them,
// and a look at the machine's processes.

import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HelperError, type HelperInput, type HelperReply } from '../../services/provisioner/helper/helper.js';
import { createHelper, type SiteHelper } from '../../services/provisioner/helper/site-helper.js';
import type { HelperMode } from '../../services/provisioner/helper/spawner/protocol.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import type { Identity } from '../../shared/identity.js';
import { type Logger, silentLogger } from '../../shared/logger.js';

export const configured = '{"configuration":{"plugin.choria.server.provision":"false"}}';

/** A node whose facts make the helper's input about so large. */
export function inputOf(bytes = 100): HelperInput {
  return {
    identity: 'n1.example.net' as Identity,
    inventory: {
      version: '0.29.4',
      upgradable: true,
      agents: ['rpcutil'],
      classes: ['roles::web'],
      collectives: ['mcollective'],
      mainCollective: 'mcollective',
      dataPlugins: [],
      machinesJson: '[]',
      factsJson: JSON.stringify({ role: 'web', big: 12_345, padding: 'x'.repeat(bytes) }),
    },
  };
}

export interface ProcessInfo {
  readonly pid: number;
  readonly command: string;
}

/** Scripts and the processes that come of them, told from others by a mark in their environment. */
export class HelperBench {
  readonly #mark = randomUUID();
  readonly #helpers: SiteHelper[] = [];
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<HelperBench> {
    return new HelperBench(await mkdtemp(join(tmpdir(), 'slipway-helper-')));
  }

  /** Environment for whatever is started, so that it is found again. */
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, HELPER_BENCH: this.#mark, FOLDER: this.folder };
  }

  async script(body: string, mode = 0o755): Promise<string> {
    const path = join(this.folder, `helper-${randomUUID()}`);
    await writeFile(path, body.startsWith('#!') ? body : `#!/bin/sh\n${body}\n`);
    await chmod(path, mode);
    return path;
  }

  helper(
    command: readonly [string, ...string[]],
    options: {
      mode?: HelperMode;
      timeoutMs?: number;
      concurrency?: number;
      log?: Logger;
      env?: NodeJS.ProcessEnv;
      clock?: Clock;
    } = {},
  ): SiteHelper {
    const helper = createHelper({
      command,
      mode: options.mode ?? 'exec',
      timeoutMs: options.timeoutMs ?? 10_000,
      concurrency: options.concurrency ?? 1,
      env: { ...this.env, ...options.env },
      clock: options.clock ?? systemClock,
      log: options.log ?? silentLogger(),
    });
    this.#helpers.push(helper);
    return helper;
  }

  /** Processes with this bench's mark, the spawner aside. */
  async programs(): Promise<ProcessInfo[]> {
    return (await this.#marked()).filter(({ command }) => !isSpawner(command) && !isCompiler(command));
  }

  async spawners(): Promise<ProcessInfo[]> {
    return (await this.#marked()).filter(({ command }) => isSpawner(command));
  }

  async file(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  async close(): Promise<void> {
    await Promise.all(this.#helpers.map((helper) => helper.close()));
    for (const { pid } of await this.#marked()) killIfThere(pid);
    await rm(this.folder, { recursive: true });
  }

  async #marked(): Promise<ProcessInfo[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map((pid) => describeProcess(pid, `HELPER_BENCH=${this.#mark}`)));
    return found.filter((info) => info !== undefined);
  }
}

/** What was found a moment ago may have ended by itself since. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function isSpawner(command: string): boolean {
  return /spawner\/main\.[jt]s/.test(command);
}

/** From source, the spawner has a compiler of its own at its side. */
function isCompiler(command: string): boolean {
  return command.includes('/esbuild');
}

async function describeProcess(pid: string, mark: string): Promise<ProcessInfo | undefined> {
  try {
    // A process that has ended and was not reaped yet has an empty environment.
    const env = await readFile(`/proc/${pid}/environ`, 'utf8');
    if (!env.includes(mark) || Number(pid) === process.pid) return undefined;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return { pid: Number(pid), command: command.replaceAll('\0', ' ').trim() };
  } catch {
    return undefined;
  }
}

/** Asks until something is so; fails after 20 s, which a busy machine may need, with what it was last. */
export async function eventually<T>(look: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const end = performance.now() + 20_000;
  for (;;) {
    const value = await look();
    if (isSo(value)) return value;
    if (performance.now() > end) throw new Error(`still ${JSON.stringify(value)} after 20 s`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What asking came to: the reply, or the reason and message of the failure. */
export async function ask(
  helper: SiteHelper,
  input: HelperInput = inputOf(),
  signal: AbortSignal = new AbortController().signal,
): Promise<HelperReply | { reason: string; message: string }> {
  try {
    return await helper.ask(input, signal);
  } catch (error) {
    if (error instanceof HelperError) return { reason: error.reason, message: error.message };
    throw error;
  }
}

/** Megabytes of memory that a process holds, or held at most. */
export async function residentMb(pid: number, which: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Runs something and returns by how many megabytes this process grew at most meanwhile. */
export async function growthMb(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  await work().finally(() => clearInterval(timer));
  return (Math.max(most, process.memoryUsage.rss()) - before) / 2 ** 20;
}
