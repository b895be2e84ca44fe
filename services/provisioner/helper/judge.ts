// What follows from how the helper ended and what it wrote: a reply, or the reason why there is none
// (design, section 7). The order matters: how it ended comes before what it wrote.

import { formatDuration } from '../../../shared/durations.js';
import type { Identity } from '../../../shared/identity.js';
import { describeEnd } from './coprocess/loss.js';
import { HelperError, type HelperReply } from './helper.js';
import { JsonError } from './json.js';
import { OtherNodeError, parseReply } from './reply.js';
import type { ProgramEnd } from './spawner/protocol.js';

/** Output over this is HELPER_TOO_LARGE (design, section 7). */
export const maxOutputBytes = 8 * 1024 * 1024;

export interface HelperRun {
  /** A program that was killed because nobody wants its answer any more is not judged. */
  readonly end: Exclude<ProgramEnd, { how: 'KILLED' | 'NOT_STARTED' }>;
  readonly stdout: { readonly length: number; toString(): string };
  /** The end of what it wrote on stderr. */
  readonly stderr: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** The node that it was asked about, where that is known. */
  readonly asked?: Identity | undefined;
}

/** @throws HelperError */
export function judge(run: HelperRun): HelperReply {
  const { end, stdout } = run;
  switch (end.how) {
    case 'TIMED_OUT':
      throw new HelperError(
        'HELPER_TIMEOUT',
        `${timedOut(run.timeoutMs, end.answered)}${saying(run.stderr)}`,
      );
    case 'TOO_LARGE':
      throw new HelperError('HELPER_TOO_LARGE', `the helper wrote more than ${maxOutputBytes} bytes`);
    case 'EXITED':
      if (end.code !== 0)
        throw new HelperError('HELPER_EXIT', `the helper ${describeEnd(end)}${saying(run.stderr)}`);
      if (stdout.length === 0)
        throw new HelperError('HELPER_EMPTY', `the helper wrote nothing${saying(run.stderr)}`);
      return parseReply(stdout.toString());
    case 'ANSWERED':
      return parseLine(stdout.toString(), run);
    case 'UNANSWERED':
      throw new HelperError('HELPER_EXIT', `${unanswered(end, stdout.length)}${saying(run.stderr)}`);
    case 'OUT_OF_TURN':
      throw new HelperError('HELPER_INVALID', outOfTurn[end.fault]);
  }
}

function timedOut(timeoutMs: number, answered: number | undefined): string {
  const limit = formatDuration(timeoutMs);
  if (answered === undefined) {
    return `the helper, or a process that it started, was not done after ${limit}`;
  }
  return `the helper did not answer within ${limit}${answered === 0 ? `; it has answered nothing yet: ${hint}` : ''}`;
}

/** What is wrong where a helper does not answer at all, most often: it was written to be run for each node. */
const hint = 'helper_mode: persistent needs a program that answers line by line';

function unanswered({ cause, answered }: ProgramEnd & { how: 'UNANSWERED' }, bytes: number): string {
  const what = `the helper ${describeEnd(cause)} ${bytes === 0 ? 'before it answered' : 'within its answer'}`;
  const isAsInExecMode = answered === 0 && (cause.how === 'CLOSED' || cause.code === 0);
  return isAsInExecMode ? `${what}; ${hint}` : what;
}

const outOfTurn = {
  MORE_THAN_A_LINE:
    'the helper answered with more than one line; with helper_mode: persistent an answer is one line',
  BEFORE_IT_HAD_READ: `the helper answered before it had read what it was asked; ${hint}`,
} as const;

/** Whether an answer was for another node: whoever gave it is out of step. */
export function isForAnother(error: unknown): boolean {
  return error instanceof HelperError && error.cause instanceof OtherNodeError;
}

/** @throws HelperError */
function parseLine(line: string, { stderr, asked }: HelperRun): HelperReply {
  if (line.trim() === '')
    throw new HelperError('HELPER_EMPTY', `the helper answered with an empty line${saying(stderr)}`);
  try {
    return parseReply(line, asked);
  } catch (error) {
    if (!(error instanceof HelperError && error.cause instanceof JsonError)) throw error;
    const message = `${error.message}; with helper_mode: persistent an answer is one line`;
    throw new HelperError(error.reason, message, { cause: error });
  }
}

function saying(stderr: string): string {
  const text = stderr.trim();
  return text === '' ? '' : `: ${text}`;
}
