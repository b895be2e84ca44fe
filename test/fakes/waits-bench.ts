// Hosts that stand here or there, and what is said of why they do.

import type { LeftHost, Past, RunRecord } from '../../services/provisioner/standing/past.js';
import type {
  Circumstances,
  Standing,
  Subject,
  Wait,
} from '../../services/provisioner/standing/waits/wait.js';
import { waitsOf } from '../../services/provisioner/standing/waits/waits.js';
import { newRunId } from '../../shared/identity.js';
import { boot, identity } from './node-events.js';

export const now = Date.UTC(2030, 0, 1);
export const until = now + 240_000;

const quiet: Circumstances = {
  now,
  pause: undefined,
  breaker: { failuresInRow: 0, reason: '', message: '', open: undefined },
  workers: { busy: 3, total: 64 },
  runsPerSecond: 0,
  intervalMs: 60_000,
  discoveryMissing: undefined,
  queueLimit: 50_000,
  queueIsFull: false,
  helper: { slots: 4, waiting: 9, timeoutMs: 10_000 },
};
/** The helper fails for every node. */
export const breaker: Circumstances['breaker'] = {
  failuresInRow: 22,
  reason: 'HELPER_EXIT',
  message: 'exit code 3',
  open: { since: now - 30_000, nextProbeAt: now + 4_000 },
};
export const pause = { since: now - 60_000, by: 'ops', message: 'new switch' };
export const noDiscovery = 'no discovery service is watched (d:1: connect ECONNREFUSED)';

export function run(over: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: newRunId(),
    fence: 1n,
    bootId: boot(1),
    startedAt: now - 2_000,
    durationMs: 1_000,
    outcome: 'FAILED',
    reason: 'UNREACHABLE',
    message: 'connect ECONNREFUSED',
    lastStep: 'IDENTIFY',
    unsettled: false,
    confirmation: undefined,
    confirmationAt: undefined,
    ...over,
  };
}

export function left(cause: LeftHost['cause']): LeftHost {
  return {
    cause,
    at: now - 1_000,
    address: '192.0.2.1:7430',
    bootId: boot(1),
    version: '',
    certificateSha256: '',
    discovery: 'd:1',
    admittedAt: now - 9_000,
    lastSightedAt: now - 5_000,
  };
}

export interface Case {
  readonly standing: Standing;
  readonly runs?: readonly RunRecord[];
  readonly past?: Partial<Past>;
  readonly subject?: Partial<Subject>;
  readonly under?: Partial<Circumstances>;
}

export function waits({ standing, runs = [], past, subject, under }: Case): Wait[] {
  const known: Past = {
    identity: identity('a.example.net'),
    runs,
    left: undefined,
    loop: undefined,
    conflict: undefined,
    ...past,
  };
  return waitsOf(
    {
      standing,
      lastSightedAt: now - 5_000,
      isStale: false,
      failuresInRow: 0,
      past: known,
      pending: undefined,
      ...subject,
    },
    { ...quiet, ...under },
  );
}

export const causes = (all: readonly Wait[]) => all.map(({ cause }) => cause);
export const said = (all: readonly Wait[]) => all.map(({ message }) => message).join(' | ');
