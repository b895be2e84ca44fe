// What happens when a run has ended: it is counted, told, and its host goes where the table of outcomes
// sends it (design, section 5).

import type { BootId } from '../../../shared/identity.js';
import type { Random } from '../../../shared/random.js';
import type { EventSink } from '../events/event.js';
import type { Outcome } from '../run/outcome.js';
import type { RunResult } from '../run/run.js';
import { type Counters, type CutOffRun, loopThreshold, loopWindowMs } from './counters.js';
import { afterRun, type DispositionPolicy, type Next, type Past, rowEffect } from './disposition.js';
import type { Entry } from './entry.js';
import { type Host, learnBootOfRun } from './host.js';
import type { Hosts } from './hosts.js';
import type { UpgradedBoots } from './upgraded-boots.js';

export interface AftermathOptions {
  readonly hosts: Hosts;
  readonly counters: Counters;
  readonly upgradedBoots: UpgradedBoots;
  readonly entry: Entry;
  readonly random: Random;
  readonly sink: EventSink;
  readonly policy: () => DispositionPolicy;
  /** Asked before a node is admitted again. */
  readonly mayAdmit: () => boolean;
}

export class Aftermath {
  readonly #options: AftermathOptions;

  constructor(options: AftermathOptions) {
    this.#options = options;
  }

  /** @param cutOffRun the run before it that left the node without its restart */
  ended(host: Host, result: RunResult, cutOffRun?: CutOffRun): void {
    const { outcome, fetched } = result;
    const ranBoot = learnBootOfRun(host);
    const bootedSince = host.boots.current !== ranBoot;
    host.version = fetched?.inventory?.value.version ?? host.version;
    host.fetched = fetched?.bootId === host.boots.current ? fetched : undefined;
    host.provisioned = outcome.kind === 'PROVISIONED' && !bootedSince;

    const outdated = !bootedSince && host.node.certificateSha256 !== '';
    const past = { ...this.#count(host, ranBoot, outcome), outdated };
    const isReleased = host.wish?.kind === 'RELEASE';
    const next: Next = isReleased
      ? { state: 'RELEASED' }
      : afterRun(outcome, past, this.#options.policy(), this.#options.random);
    if (next.state !== 'QUEUED') host.wish = undefined;
    this.#rememberCutOff(host, ranBoot, result);
    this.#publish(host, result, next, past, cutOffRun);
    if (isReleased) this.#options.hosts.release(host, 'OPERATOR');
    else this.#follow(host, next, outcome);
    if (bootedSince && host.left === undefined && !isReleased) this.#meetNewBoot(host, next, outcome);
  }

  /** A boot that was sighted too late to supersede the run does now what it does to any other host. */
  #meetNewBoot(host: Host, next: Next, outcome: Outcome): void {
    const { entry, mayAdmit } = this.#options;
    if (next.state === 'HELD') entry.endHold(host);
    // Its new release has come up: it is not to wait an interval for the next sighting.
    if (outcome.kind === 'UPGRADED' && mayAdmit()) entry.admit(host.node, host.lastSightedAt);
  }

  #count({ identity }: Host, boot: BootId, outcome: Outcome): Pick<Past, 'failuresInRow' | 'comebacks'> {
    const { counters, upgradedBoots } = this.#options;
    if (outcome.kind === 'PROVISIONED') counters.provisioned(identity, boot);
    if (outcome.kind === 'UPGRADED') {
      counters.upgraded(identity, outcome.from);
      upgradedBoots.add(identity, boot);
    }
    const comebacks = saysItWouldComeBack(outcome) ? counters.cameBack(identity) : 0;
    switch (rowEffect(outcome)) {
      case 'ADDS':
        return { failuresInRow: counters.failed(identity), comebacks };
      case 'ENDS':
        counters.succeeded(identity);
        return { failuresInRow: 0, comebacks };
      case 'KEEPS':
        return { failuresInRow: counters.failuresInRow(identity), comebacks };
    }
  }

  #rememberCutOff({ identity }: Host, boot: BootId, { runId, outcome, cutOff }: RunResult): void {
    const { counters } = this.#options;
    const isProvisioned = outcome.kind === 'PROVISIONED';
    if (cutOff !== undefined) {
      const certain = cutOff === 'CONFIGURED';
      counters.cutOff(identity, { runId, certain, boot: isProvisioned ? boot : undefined });
    } else if (isProvisioned) {
      counters.restarted(identity);
    }
  }

  #publish({ identity }: Host, result: RunResult, next: Next, past: Past, cutOffRun?: CutOffRun): void {
    const { runId, outcome, durationMs, lastStep } = result;
    const { sink } = this.#options;
    sink.publish({
      type: 'RUN_FINISHED',
      identity,
      runId,
      outcome: outcome.kind,
      reason: 'reason' in outcome ? outcome.reason : '',
      message: messageOf(outcome, cutOffRun),
      durationMs,
      nextState: next.state,
      nextStateMs: 'ms' in next ? next.ms : undefined,
      lastStep,
      configurationDigest: result.configurationDigest ?? '',
      unsettled: outcome.kind === 'PROVISIONED' && outcome.unsettled,
      failuresInRow: past.failuresInRow,
    });
    if (past.comebacks >= loopThreshold) {
      const backoffMs = 'ms' in next ? next.ms : 0;
      sink.publish({
        type: 'PROVISION_LOOP',
        identity,
        times: past.comebacks,
        withinMs: loopWindowMs,
        backoffMs,
      });
    }
  }

  #follow(host: Host, next: Next, outcome: Outcome): void {
    const { hosts, entry } = this.#options;
    switch (next.state) {
      case 'RELEASED':
        hosts.release(host, 'RUN_FINISHED');
        return;
      case 'HELD':
        hosts.hold(host, next.ms);
        return;
      case 'BACKING_OFF':
        entry.backOff(host, next.ms);
        return;
      case 'QUEUED': {
        const cause = outcome.kind === 'SUPERSEDED' ? 'SUPERSEDED' : 'CANCELLED';
        hosts.requeueFromRun(host, next.at, cause);
      }
    }
  }
}

/** A node that refuses to restart into its configuration because that enables provisioning is looping. */
function saysItWouldComeBack(outcome: Outcome): boolean {
  return outcome.kind === 'FAILED' && outcome.reason === 'PROVISIONING_ENABLED';
}

function messageOf(outcome: Outcome, cutOffRun: CutOffRun | undefined): string {
  switch (outcome.kind) {
    case 'PROVISIONED':
      return provisionedMessage(outcome.unsettled, cutOffRun);
    case 'UPGRADED':
      return upgradedMessage(outcome);
    case 'CANCELLED':
      return outcome.cause;
    default:
      return outcome.message;
  }
}

function upgradedMessage({ from, to, unsettled }: Extract<Outcome, { kind: 'UPGRADED' }>): string {
  const changed = `from ${from} to ${to}`;
  return unsettled ? `${changed}; the upgrade is not settled: only the next run will tell` : changed;
}

function provisionedMessage(unsettled: boolean, cutOffRun: CutOffRun | undefined): string {
  const messages: string[] = [];
  if (unsettled) messages.push('the restart is not settled: only its confirmation will tell');
  if (cutOffRun !== undefined) {
    const configured = cutOffRun.certain ? 'configured' : 'perhaps configured';
    messages.push(`run ${cutOffRun.runId} had ${configured} it and could not restart it`);
  }
  return messages.join('; ');
}
