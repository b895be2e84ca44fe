// What runs on this machine, as /proc tells it.

import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  /** Its command line, words separated by blanks. */
  readonly command: string;
}

/** @returns the running processes whose command line contains the marker */
export function processesWith(marker: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }))
    .filter(({ command }) => command.includes(marker));
}

/** @returns the most memory that a process ever held, in MiB; NaN where it has ended */
export function peakMemoryMiB(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? Number.NaN) / 1024;
}

/** What has ended has nothing to read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
