// How the provisioner does, as the API shows it.

import { Outcome } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import type {
  BreakerStatus,
  CredentialStatus,
  DiscoveryStatus,
  GetStatusResponse,
  LogStatus,
  QueueStatus,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { toDuration, toTimestamp } from '../../../shared/wire/time.js';
import type { WatchStanding } from '../sightings/watch.js';
import type { CredentialStanding } from '../standing/credentials.js';
import type { LogStanding, ProvisionerStatus } from '../standing/status.js';
import { toPauseStatus } from './convert-pause.js';

/** The answer to GetStatus. What it is not set up with, an event log or a deadline, is not set. */
export function toStatus(status: ProvisionerStatus): GetStatusResponse {
  const { readiness, fleet, bounds, confirmations } = status;
  return {
    site: status.site,
    provisioner: status.provisioner,
    version: status.version,
    startedAt: toTimestamp(status.startedAt),
    ready: readiness.ready,
    notReadyBecause: readiness.ready ? '' : readiness.why,
    pause: toPauseStatus(status.pause),
    queue: toQueueStatus(status),
    workers: { busy: fleet.busyWorkers, total: bounds.workers },
    hosts: {
      queued: fleet.hosts.QUEUED,
      running: fleet.hosts.RUNNING,
      held: fleet.hosts.HELD,
      backingOff: fleet.hosts.BACKING_OFF,
    },
    rates: status.perSecond,
    outcomes: status.outcomes.map(({ outcome, reason, count }) => ({
      outcome: Outcome[outcome],
      reason,
      count: BigInt(count),
    })),
    confirmations: {
      pending: confirmations.pending,
      confirmed: BigInt(confirmations.confirmed),
      missed: BigInt(confirmations.missed),
    },
    breaker: toBreakerStatus(status),
    discoveries: status.discoveries.map(toDiscoveryStatus),
    log: status.log && toLogStatus(status.log),
    credentials: status.credentials.map(toCredentialStatus),
  };
}

function toQueueStatus({ fleet, bounds, dropped }: ProvisionerStatus): QueueStatus {
  return {
    entries: fleet.queued,
    limit: bounds.queueLimit,
    oldest: fleet.queued === 0 ? undefined : toDuration(fleet.oldestQueuedMs),
    dropped: BigInt(dropped),
  };
}

function toBreakerStatus({ breaker, bounds }: ProvisionerStatus): BreakerStatus {
  const { failuresInRow, reason, message, open } = breaker;
  return {
    open: open !== undefined,
    failures: failuresInRow,
    limit: bounds.breakerLimit,
    since: open && toTimestamp(open.since),
    nextProbeAt: open && toTimestamp(open.nextProbeAt),
    reason,
    message,
  };
}

function toDiscoveryStatus(watch: WatchStanding): DiscoveryStatus {
  return {
    address: watch.discovery,
    connected: watch.connected,
    since: toTimestamp(watch.since),
    epoch: watch.epoch,
    revision: watch.revision,
    interval: watch.intervalMs === undefined ? undefined : toDuration(watch.intervalMs),
    skipped: BigInt(watch.skipped),
    lastError: watch.lastError,
  };
}

function toLogStatus(log: LogStanding): LogStatus {
  return {
    logId: log.logId,
    first: BigInt(log.first),
    last: BigInt(log.last),
    uncommittedBytes: BigInt(log.uncommittedBytes),
    failing: log.failing,
    error: log.error,
    lost: BigInt(log.lost),
    subscribers: log.subscribers,
  };
}

function toCredentialStatus({ name, expiresAt, whyNot }: CredentialStanding): CredentialStatus {
  return {
    name,
    expiresAt: expiresAt === undefined ? undefined : toTimestamp(expiresAt),
    usable: whyNot === undefined,
    message: whyNot ?? '',
  };
}
