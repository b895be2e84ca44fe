// What a host waits for while a run works on it: the node, the helper, a place for it, or what signs.

import type { RunProgress, RunWait, StepTrouble } from '../../run/progress.js';
import type { Circumstances, Wait } from './wait.js';
import { colon, count, helpOn, say, span, todo } from './words.js';

/** @param progress with its times in Unix milliseconds */
export function runWaits(progress: RunProgress, circumstances: Circumstances): Wait[] {
  const { wait, step, trouble } = progress;
  if (wait === undefined || step === undefined) return [];
  const waited = span(circumstances.now - wait.since);
  switch (wait.kind) {
    case 'REPLY':
      return [{ cause: 'NODE', until: wait.until, message: replyMessage(wait, step, waited, trouble) }];
    case 'RETRY': {
      const next = `${step} is tried again, attempt ${wait.attempt} of ${wait.tries}`;
      return [{ cause: 'NODE', until: wait.until, message: say(next, troubleMessage(trouble)) }];
    }
    case 'HELPER_SLOT': {
      const { slots, waiting } = circumstances.helper;
      const taken = `All ${count(slots, 'place', 'places')} for helpers are taken`;
      const others = `${count(waiting, 'run waits', 'runs wait')} for one, this one for ${waited}`;
      const help = 'Raise helper_concurrency, or make the helper faster';
      return [{ cause: 'HELPER_SLOT', until: undefined, message: say(`${taken}; ${others}`, todo(help)) }];
    }
    case 'HELPER': {
      const { timeoutMs } = circumstances.helper;
      const message = `The helper has run for ${waited}; it is ended at ${span(timeoutMs)} (helper_timeout)`;
      const end = wait.since + timeoutMs;
      // One that died with what started it is run once more, and may take longer.
      return [{ cause: 'HELPER', until: end > circumstances.now ? end : undefined, message }];
    }
    case 'CREDENTIALS': {
      const what = `Server tokens could not be signed for ${waited}: ${wait.why}`;
      const then = 'Runs wait until it can be used; the provisioner need not be restarted';
      const help = 'Put into its place what can be used';
      return [{ cause: 'CREDENTIALS', until: undefined, message: say(what, then, todo(help)) }];
    }
  }
}

function replyMessage(
  { rpc, attempt, tries }: Extract<RunWait, { kind: 'REPLY' }>,
  step: string,
  waited: string,
  trouble: StepTrouble | undefined,
): string {
  const what =
    rpc === 'GetRunStatus'
      ? `The node is asked what became of ${step}, the reply to which was lost (GetRunStatus, called ${waited} ago)`
      : `The node has to answer ${rpc}, called ${waited} ago, attempt ${attempt} of ${tries}`;
  return say(what, troubleMessage(trouble));
}

const unanswered: readonly string[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED'];

function troubleMessage(trouble: StepTrouble | undefined): string {
  if (trouble === undefined) return '';
  const { code, reason, message } = trouble;
  // The message of a call begins with its code.
  const what = reason === '' ? message : `${reason}${colon(message)}`;
  const help = helpOn(reason !== '' ? reason : unanswered.includes(code) ? 'UNREACHABLE' : 'RPC_FAILED');
  return say(`Before that it failed: ${what}`, todo(help));
}
