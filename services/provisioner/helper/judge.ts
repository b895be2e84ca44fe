// What follows from how the helper ended and what it wrote: a reply, or the reason why there is none
// (design, section 7). The order matters: how it ended comes before what it wrote.

import { formatDuration } from '../../../shared/durations.js';
import { HelperError, type HelperReply } from './helper.js';
import { parseReply } from './reply.js';
import type { ProgramEnd } from './spawner/protocol.js';

/** Output over this is HELPER_TOO_LARGE (design, section 7). */
export const maxOutputBytes = 8 * 1024 * 1024;

export interface HelperRun {
  /** A program that was killed because nobody wants its answer any more is not judged. */
  readonly end: Exclude<ProgramEnd, { how: 'KILLED' | 'NOT_STARTED' }>;
  readonly stdout: { readonly length: number; toString(): string };
  /** The end of what it wrote on stderr. */
  readonly stderr: string;
  readonly timeoutMs: number;
}

/** @throws HelperError */
export function judge(run: HelperRun): HelperReply {
  switch (run.end.how) {
    case 'TIMED_OUT':
      throw new HelperError(
        'HELPER_TIMEOUT',
        `the helper, or a process that it started, was not done after ${formatDuration(run.timeoutMs)}${saying(run.stderr)}`,
      );
    case 'TOO_LARGE':
      throw new HelperError('HELPER_TOO_LARGE', `the helper wrote more than ${maxOutputBytes} bytes`);
    case 'EXITED': {
      const { code, signal } = run.end;
      if (code !== 0) {
        const how = code === null ? `was killed by ${signal}` : `exited with code ${code}`;
        throw new HelperError('HELPER_EXIT', `the helper ${how}${saying(run.stderr)}`);
      }
    }
  }
  if (run.stdout.length === 0) {
    throw new HelperError('HELPER_EMPTY', `the helper wrote nothing${saying(run.stderr)}`);
  }
  return parseReply(run.stdout.toString());
}

function saying(stderr: string): string {
  const text = stderr.trim();
  return text === '' ? '' : `: ${text}`;
}
