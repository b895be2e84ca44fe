// UpdateRelease: the node gets the release that the helper wants before it is configured, restarts into it and comes back
// in provisioning mode; the next run configures it (design, section 9). Whether it is asked to is decision.ts's matter.

import { decideUpgrade, type UpgradeFailure } from '../decision.js';
import type { Release } from '../node.js';
import { asCaller, callNode } from '../rpc.js';
import { failStep, known, type RunContext, type StepResult } from '../run-context.js';
import { settleUpdateRelease } from '../settle.js';
import { isOfTheCall } from '../verdict.js';

export async function updateRelease(run: RunContext, tries: number): Promise<StepResult> {
  const { version: from, upgradable } = known(run.inventory, 'the inventory');
  const decided = decideUpgrade(known(run.reply, 'the helper’s reply').upgrade, {
    node: { version: from, upgradable },
    upgradesRepository: run.settings.upgrades.repository,
    upgradedFrom: run.task.upgradedFrom ?? [],
  });
  switch (decided.kind) {
    case 'NONE':
      return { kind: 'SKIPPED' };
    case 'UPGRADE_FAILED':
      return goOnWithout(run, decided) ?? failStep(run, 'UPDATE_RELEASE', decided, 0);
    case 'UPGRADE':
      return await change(run, tries, from, { repository: decided.repository, version: decided.target });
  }
}

async function change(run: RunContext, tries: number, from: string, release: Release): Promise<StepResult> {
  const outcome = { kind: 'UPGRADED', from, to: release.version } as const;
  const result = await callNode(run, {
    step: 'UPDATE_RELEASE',
    tries,
    timeoutMs: run.settings.upgrades.timeoutMs,
    fenced: true,
    attempt: asCaller(run, (caller, limits) => run.agent.updateRelease(caller, release, limits)),
    settling: {
      done: undefined,
      decide: settleUpdateRelease,
      unsettled: () => ({ ...outcome, unsettled: true }),
    },
  });
  if (result.kind === 'REPLY') return { kind: 'COMPLETED', tries: result.tries, outcome };
  // Here the node certainly did not do it: else the call would have been settled otherwise.
  const { failure, outcome: ended } = { failure: undefined, ...result };
  if (ended.kind !== 'FAILED' || failure === undefined || !isOfTheCall(failure)) return result;
  const message = `the node did not change from ${from} to ${release.version}: ${ended.message}`;
  const failed: UpgradeFailure = { kind: 'UPGRADE_FAILED', reason: 'UPGRADE_RPC_FAILED', message };
  return goOnWithout(run, failed) ?? { kind: 'ENDED', outcome: failed };
}

/** @returns undefined where a node that keeps its release is not to be configured */
function goOnWithout(run: RunContext, { reason, message }: UpgradeFailure): StepResult | undefined {
  if (!run.settings.upgrades.optional) return undefined;
  const fields = {
    identity: run.task.node.identity,
    run_id: run.session.runId,
    step: 'UPDATE_RELEASE',
  } as const;
  run.log.warn(fields, `goes on with the release that the node has: ${reason}: ${message}`);
  return { kind: 'SKIPPED' };
}
