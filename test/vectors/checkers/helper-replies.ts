// helper-replies.json: how a helper ended, what it wrote, and what follows.

import { z } from 'zod';
import { HelperError, type HelperReply } from '../../../services/provisioner/helper/helper.js';
import { type HelperRun, judge } from '../../../services/provisioner/helper/judge.js';
import { checker, same, type Verdict } from '../checker.js';

const shape = z.object({
  name: z.string(),
  stdout: z.string(),
  exit_code: z.number().int().nullable(),
  signal: z.string().optional(),
  expected: z.object({
    outcome: z.string(),
    reason: z.string().optional(),
    msg: z.string().optional(),
    configuration: z.record(z.string(), z.string()).optional(),
    server_jwt: z.unknown().optional(),
  }),
});

type Vector = z.output<typeof shape>;

export const helperReplies = checker(shape, ({ name }) => name, check);

const outcomes: ReadonlySet<string> = new Set(['configure', 'defer', 'shutdown', 'failed']);

function check(vector: Vector): Verdict {
  const { outcome, reason, msg, configuration, server_jwt: serverJwt } = vector.expected;
  if (!outcomes.has(outcome)) {
    return { kind: 'SKIPPED', why: `outcome ${outcome} is not part of this version` };
  }
  if (outcome === 'failed' && reason?.startsWith('HELPER_') !== true) {
    return {
      kind: 'SKIPPED',
      why: `${reason ?? 'its reason'} comes with credentials, which are not part of this version`,
    };
  }
  const got = answer(vector);
  const verdict = same(
    {
      outcome,
      ...(reason !== undefined && { reason }),
      ...(msg !== undefined && { msg }),
      ...(configuration && { configuration }),
    },
    {
      outcome: got.outcome,
      ...(reason !== undefined && { reason: got.reason }),
      ...(msg !== undefined && { msg: got.reply?.msg }),
      ...(configuration && { configuration: Object.fromEntries(got.reply?.configuration ?? []) }),
    },
  );
  if (verdict.kind !== 'PASSED' || serverJwt === undefined) return verdict;
  return { kind: 'PASSED', note: 'server_jwt not looked at: server tokens are not part of this version' };
}

interface Answer {
  readonly outcome: string;
  readonly reason?: string;
  readonly reply?: HelperReply;
}

function answer(vector: Vector): Answer {
  try {
    const reply = judge(toRun(vector));
    const outcome = reply.defer ? 'defer' : reply.shutdown ? 'shutdown' : 'configure';
    return { outcome, reply };
  } catch (error) {
    if (error instanceof HelperError) return { outcome: 'failed', reason: error.reason };
    throw error;
  }
}

/** A case without an exit code was killed by the service at its time limit. */
function toRun({ stdout, exit_code: code, signal }: Vector): HelperRun {
  const timedOut = code === null && signal === 'SIGKILL';
  return {
    end: timedOut ? { how: 'TIMED_OUT' } : { how: 'EXITED', code, signal: signal ?? null },
    stdout: Buffer.from(stdout),
    stderr: '',
    timeoutMs: 10_000,
  };
}
