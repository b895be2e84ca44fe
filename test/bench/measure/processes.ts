// What processes have cost, as /proc tells it: processor time and memory.

import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../../../cli/launch/until.js';

/** Linux counts processor time in hundredths of a second, whatever the machine. */
const tickMs = 10;

/** Several processes that are one part of what is measured; looked up each time, for they come and go. */
export type Parts = Readonly<Record<string, () => readonly number[]>>;

export interface Cost {
  /** Of all its processes, and of those that they started and that have ended: milliseconds. */
  readonly cpuMs: number;
  /** The most that each ever held, together: MiB. */
  readonly peakMiB: number;
  /** What they hold now: MiB. */
  readonly residentMiB: number;
  /** Of that, what is theirs alone, and not of files, which the system drops and reads again as it likes: MiB. */
  readonly ownMiB: number;
}

/** Counts from its making on what each part costs. */
export class Costs {
  readonly #parts: Parts;
  readonly #before: ReadonlyMap<string, number>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#before = new Map(Object.entries(parts).map(([name, pids]) => [name, cpuMsOf(pids())]));
  }

  /** @returns what each part has cost until now */
  get now(): Readonly<Record<string, Cost>> {
    const costs = Object.entries(this.#parts).map(([name, pidsOf]) => {
      const pids = pidsOf();
      const cpuMs = cpuMsOf(pids) - (this.#before.get(name) ?? 0);
      const [peakMiB, residentMiB, ownMiB] = [
        mibOf(pids, 'VmHWM'),
        mibOf(pids, 'VmRSS'),
        mibOf(pids, 'RssAnon'),
      ];
      return [name, { cpuMs, peakMiB, residentMiB, ownMiB }] as const;
    });
    return Object.fromEntries(costs);
  }
}

/** Looks every second at what is each part's own memory, of which the system remembers no peak. */
export class OwnPeaks implements Disposable {
  readonly #peaks = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: Parts) {
    this.#timer = setInterval(() => {
      for (const [name, pids] of Object.entries(parts)) {
        this.#peaks.set(name, Math.max(mibOf(pids(), 'RssAnon'), this.#peaks.get(name) ?? 0));
      }
    }, 1_000);
  }

  /** @returns the most that was seen of each part: MiB */
  get now(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#peaks);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** @returns the processes that one has started, and those that they have started, that have not ended */
export function descendantsOf(pid: number): number[] {
  return namesIn(`/proc/${pid}/task`)
    .flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(' '))
    .filter((text) => text !== '')
    .flatMap((text) => [Number(text), ...descendantsOf(Number(text))]);
}

/** Kills all that a process has started, and waits until none of it is left, for a while. */
export async function killDescendantsOf(pid: number): Promise<void> {
  const none = () => {
    const left = descendantsOf(pid);
    for (const each of left) kill(each);
    return left.length === 0;
  };
  await until(none, { what: 'the end of all that was started', timeoutMs: 5_000 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since it was seen.
  }
}

function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid) * tickMs, 0);
}

/** Fields 14 to 17 of the line: its own time, and that of children that it has waited for. */
function ticksOf(pid: number): number {
  const line = read(`/proc/${pid}/stat`);
  // The name before them may hold anything, but its bracket is the last one.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

function mibOf(pids: readonly number[], field: 'VmHWM' | 'VmRSS' | 'RssAnon'): number {
  const pattern = new RegExp(`${field}:\\s+(\\d+)`);
  return pids.reduce(
    (sum, pid) => sum + Number(pattern.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024,
    0,
  );
}

/** What has ended has nothing to read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
