// What the processes of a stack said, line by line.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { ServiceName } from '../../../cli/launch/project.js';
import type { Stack } from '../../../cli/launch/stack.js';

export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** @returns the lines of a log so far; what is no JSON is left out */
export function linesOf(file: string): LogLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
}

/** Resolves with the first line that fits, once it is there. */
export async function untilLine(
  file: string,
  fits: (line: LogLine) => boolean,
  timeoutMs = 30_000,
): Promise<LogLine> {
  let found: LogLine | undefined;
  await expect
    .poll(
      () => {
        found = linesOf(file).find(fits);
        return found;
      },
      { timeout: timeoutMs, interval: 50, message: `a line in ${file}` },
    )
    .toBeDefined();
  if (found === undefined) throw new Error('the line is gone');
  return found;
}

/** Resolves with the line that says how a node's run ended. */
export function untilRunEnded(stack: Stack, identity: string): Promise<LogLine> {
  const log = stack.logFile('provisioner' satisfies ServiceName);
  return untilLine(log, (line) => line.identity === identity && line.msg.startsWith('run finished'));
}
