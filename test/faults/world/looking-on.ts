// What operators see of one life of the provisioner, wired as provisioner.ts wires it; and what they must always be told.

import type { Freshness } from '../../../services/provisioner/fleet/freshness.js';
import type { FullAccount } from '../../../services/provisioner/standing/accounts.js';
import { Overview, type OverviewOptions } from '../../../services/provisioner/standing/overview.js';
import type { WorldSettings } from './provisioner.js';

export interface LookingOn
  extends Pick<
    OverviewOptions,
    | 'clock'
    | 'pause'
    | 'fleet'
    | 'roster'
    | 'breaker'
    | 'pendingConfirmation'
    | 'pendingConfirmations'
    | 'helperWaiting'
  > {
  readonly settings: WorldSettings;
  readonly freshness: Freshness;
}

export function worldOverview({ settings, freshness, ...parts }: LookingOn): Overview {
  return new Overview({
    ...parts,
    about: { site: 'default', provisioner: '', version: '', startedAt: parts.clock.now() },
    bounds: {
      workers: settings.workers,
      queueLimit: settings.queueLimit,
      breakerLimit: settings.helperBreaker,
      helperSlots: settings.helperConcurrency,
      helperTimeoutMs: settings.helperTimeoutMs,
    },
    readiness: () => ({ ready: true }),
    intervalMs: () => freshness.intervalMs,
    discoveries: () => [],
    discoveryMissing: () => undefined,
    log: () => undefined,
    credentials: () => [],
  });
}

/**
 * What a host is not told of: why it is where it is, and what it waits for.
 *
 * @param isUp whether a machine of its name is configured
 */
export function untold({ host, waits, runs }: FullAccount, now: number, isUp: boolean): string[] {
  const { identity, state, lastRun } = host;
  const where = `${identity} is ${state}, and`;
  const problems: string[] = [];
  if (waits.length === 0 && !mayWaitForNothing(host, runs[0], isUp))
    problems.push(`${where} does not say why`);
  for (const { cause, until, message } of waits) {
    if (message === '' || message.includes('undefined'))
      problems.push(`${where} says of ${cause}: ${message}`);
    // A moment that is over in this very turn is as good as one to come.
    if (until !== undefined && until < now - 1) problems.push(`${where} waits for what is over: ${cause}`);
  }
  const isOver = state === 'BACKING_OFF' || state === 'RELEASED';
  const reason = lastRun?.reason ?? '';
  if (isOver && reason !== '' && !waits.some(({ message }) => message.includes(reason)) && waits.length > 0) {
    problems.push(`${where} does not say that its run failed with ${reason}`);
  }
  return problems;
}

/** A run that does something itself waits for nobody; a node that has come up, or was never run, needs nothing. */
function mayWaitForNothing(
  { state }: FullAccount['host'],
  run: FullAccount['runs'][number] | undefined,
  isUp: boolean,
): boolean {
  if (state === 'RUNNING') return true;
  if (state !== 'RELEASED') return false;
  // Where two machines have one name, a run of the one may fail though the other has come up.
  return isUp || run?.outcome !== 'FAILED' || run.confirmation === 'CONFIRMED';
}
