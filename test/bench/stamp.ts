// What a figure was measured with: without it, none can be compared with another.

import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { projectRoot } from '../../cli/launch/project.js';

export interface Stamp {
  /** Of the code; `+` after it where files have changed since. */
  readonly commit: string;
  readonly node: string;
  readonly cores: number;
  readonly processor: string;
  /** Of the last minute, before anything was measured: above 0.2, others use the machine. */
  readonly load: number;
  readonly time: string;
}

export function newStamp(): Stamp {
  return {
    commit: commit(),
    node: process.version,
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? '',
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
    time: new Date().toISOString(),
  };
}

function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: projectRoot(),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const changed = git('status', '--porcelain').trim() !== '';
    return `${git('rev-parse', '--short', 'HEAD').trim()}${changed ? '+' : ''}`;
  } catch {
    return 'unknown';
  }
}
