// The helper: the site's own program decides what becomes of the node (design, section 7).

import { HelperError, type HelperInput, type HelperReply } from '../../helper/helper.js';
import { deferralOf } from '../decision.js';
import { givenBack } from '../helper-breaker.js';
import { failStep, known, type RunContext, type StepResult } from '../run-context.js';

export async function askHelper(run: RunContext): Promise<StepResult> {
  const { control, clock, progress, breaker } = run;
  const { runId } = run.session;
  if (!breaker.mayAsk(runId)) return { kind: 'ENDED', outcome: givenBack };
  control.asksHelper();
  const startedAt = clock.monotonic();
  const aborter = new AbortController();
  const off = control.onChange(() => {
    if (control.end !== undefined) aborter.abort();
  });
  // A busy helper is not the node's fault: waiting for a slot does not count.
  control.pauseTimeout();
  progress.waitForHelperSlot();
  try {
    run.reply = await run.helper.ask(inputOf(run), aborter.signal, {
      onStart: () => {
        control.resumeTimeout();
        progress.waitForHelper();
      },
    });
  } catch (error) {
    if (error instanceof HelperError) {
      const { reason, message } = error;
      const failure = { kind: 'FAILED', reason, message } as const;
      failStep(run, 'HELPER', failure, clock.monotonic() - startedAt);
      return { kind: 'ENDED', outcome: breaker.failed(runId, failure) };
    }
    if (control.end === undefined) throw error;
    return { kind: 'ENDED', outcome: control.end };
  } finally {
    control.resumeTimeout();
    progress.waitedEnough();
    off();
  }
  control.helperAnswered();
  breaker.answered();
  return decided(run.reply);
}

function inputOf({ task, csr, key, inventory, token }: RunContext): HelperInput {
  return {
    identity: task.node.identity,
    csr,
    key,
    inventory: known(inventory, 'the inventory'),
    claimsJson: token?.claims.forHelperJson,
  };
}

/** `defer` beats `shutdown`. */
function decided(reply: HelperReply): StepResult {
  const deferral = deferralOf(reply);
  if (deferral === undefined) return { kind: 'COMPLETED', tries: 1 };
  return { kind: 'COMPLETED', tries: 1, outcome: { kind: 'DEFERRED', by: 'HELPER', ...deferral } };
}
