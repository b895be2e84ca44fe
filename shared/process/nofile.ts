// How many files, sockets among them, this process may have open. Node.js cannot ask; Linux tells in /proc.

import { readFileSync } from 'node:fs';
import type { Logger } from '../logger.js';

/**
 * The soft limit in the text of /proc/self/limits.
 *
 * @returns infinity where there is none; undefined where the text does not say
 */
export function openFilesLimit(limits: string): number | undefined {
  const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
  return soft !== undefined && /^\d+$/.test(soft) ? Number(soft) : undefined;
}

/** Warns where this process may open fewer files than it is likely to need. */
export function warnOfFewFiles(minimum: number, log: Logger, readLimits: () => string = systemLimits): void {
  const limit = openFilesLimit(readLimits());
  if (limit === undefined || limit >= minimum) return;
  log.warn(
    { nofile: limit, needed: minimum },
    `this process may open only ${limit} files and sockets but may need ${minimum}: raise nofile ` +
      '(ulimit -n; LimitNOFILE in a systemd unit; ulimits in a compose file)',
  );
}

/** Empty on systems other than Linux: then nothing is known, and nothing is warned about. */
function systemLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
