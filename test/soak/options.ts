// The soak's command line.

import { closeSync, openSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError, usageErrorOf } from '../bench/command-line.js';

export interface SoakOptions {
  readonly durationMs: number;
  /** New nodes a second. */
  readonly rate: number;
  /** Where samples are written to; undefined: into the run's own folder. */
  readonly file: string | undefined;
  /** The folder with configuration, logs and data stays. */
  readonly keep: boolean;
}

export const usage = `usage: npm run soak -- [options]

Runs discovery and provisioner for hours on nodes that come, are provisioned, reboot and leave, and says whether what
the two hold stays as it is.

  --hours N      how long (8); in fewer, what the provisioner remembers of nodes still grows, which is allowed for
  --minutes N    the same, for trials
  --rate N       new nodes a second (5)
  --file PATH    where samples are written to, a line of JSON for each; without it, into a temporary folder
  --keep         keeps the folder with configuration, logs and data
  --help         prints this

Exits with 0 where all is flat, with 1 where anything grows, is not known or was interrupted, and with 2 where the
command line cannot be used.
`;

const longestHours = 168;
const shortestMinutes = 1;
const mostNodesPerSecond = 200;

/**
 * @param args the arguments after the program's name
 * @returns undefined where --help was asked for
 * @throws UsageError
 */
export function parseSoakOptions(args: readonly string[]): SoakOptions | undefined {
  const { values } = read(args);
  if (values.help) return undefined;
  const problems: string[] = [];
  const number = (flag: string, text: string, least: number, most: number) => {
    const value = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      problems.push(`--${flag} ${text}: expected a number from ${least} to ${most}`);
    }
    return value;
  };
  if (values.hours !== undefined && values.minutes !== undefined) {
    problems.push('--hours and --minutes exclude each other');
  }
  const minutes =
    values.minutes === undefined
      ? 60 * number('hours', values.hours ?? '8', shortestMinutes / 60, longestHours)
      : number('minutes', values.minutes, shortestMinutes, 60 * longestHours);
  const rate = number('rate', values.rate, 0.1, mostNodesPerSecond);
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return { durationMs: Math.round(60_000 * minutes), rate, file: values.file, keep: values.keep };
}

/**
 * A file that cannot be written to would otherwise end the run when the first sample is there.
 *
 * @throws UsageError
 */
export function checkFile(file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--file ${file}: cannot be written to: ${why}`);
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        hours: { type: 'string' },
        minutes: { type: 'string' },
        rate: { type: 'string', default: '5' },
        file: { type: 'string' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw usageErrorOf(error);
  }
}
