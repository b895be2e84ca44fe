// Hosts, their runs and their waits as the API shows them.

import { HostState, Outcome, Step } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import {
  Confirmation,
  type Host,
  type Run,
  type Wait,
  WaitCause,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { toDuration, toTimestamp } from '../../../shared/wire/time.js';
import type { StepName } from '../events/event.js';
import type { OutcomeKind } from '../run/outcome.js';
import type { HostAccount, RunAccount } from '../standing/accounts.js';
import type { Wait as DomainWait } from '../standing/waits/wait.js';

const none = Buffer.alloc(0);

/** A host, and of its last run what tells how it ended. */
export function toHost(host: HostAccount): Host {
  const { certificateSha256, lastRun } = host;
  return {
    identity: host.identity,
    state: HostState[host.state],
    stateSince: moment(host.since),
    stateUntil: moment(host.until),
    address: host.address,
    bootId: host.bootId ?? '',
    version: host.version,
    certificateSha256: certificateSha256 === '' ? none : Buffer.from(certificateSha256, 'hex'),
    discovery: host.discovery,
    admittedAt: moment(host.admittedAt),
    lastSightedAt: moment(host.lastSightedAt),
    queuePlace: host.queuePlace,
    runId: host.runId ?? '',
    step: toStep(host.step),
    failuresInARow: host.failuresInRow,
    lastOutcome: toOutcome(lastRun?.outcome),
    lastReason: lastRun?.reason ?? '',
    lastMessage: lastRun?.message ?? '',
  };
}

/** A run, of which outcome and reason are not set while it goes on. */
export function toRun(run: RunAccount): Run {
  const { confirmed } = run;
  return {
    runId: run.runId,
    fence: run.fence,
    bootId: run.bootId,
    startedAt: toTimestamp(run.startedAt),
    duration: run.durationMs === undefined ? undefined : toDuration(run.durationMs),
    outcome: toOutcome(run.outcome),
    reason: run.reason,
    message: run.message,
    lastStep: toStep(run.lastStep),
    unsettled: run.unsettled,
    confirmation: Confirmation[confirmed?.state ?? 'UNSPECIFIED'],
    confirmationAt: moment(confirmed?.at),
    earlier: run.earlier === true,
  };
}

/** What a host waits for, and until when at the latest, where that is known. */
export function toWait({ cause, until, message }: DomainWait): Wait {
  return { cause: WaitCause[cause], until: moment(until), message };
}

function toStep(step: StepName | undefined): Step {
  return Step[step ?? 'UNSPECIFIED'];
}

function toOutcome(outcome: OutcomeKind | undefined): Outcome {
  return Outcome[outcome ?? 'UNSPECIFIED'];
}

function moment(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : toTimestamp(ms);
}
