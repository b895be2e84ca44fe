// Events as the provisioner publishes them, one of each type, with short names.

import type { ProvisioningEvent } from '../../services/provisioner/events/event.js';
import { newRunId, type RunId } from '../../shared/identity.js';
import { boot, identity } from './node-events.js';

type Type = ProvisioningEvent['type'];
type OfType<T extends Type> = Extract<ProvisioningEvent, { readonly type: T }>;

/** An event of that type about a node and a run, usual in all that is not given. */
export function event<T extends Type>(type: T, over: Partial<Omit<OfType<T>, 'type'>> = {}): OfType<T> {
  const sample: OfType<Type> = sampleEvents()[type];
  return { ...sample, ...over } as OfType<T>;
}

/** One event of each type, all about one node and one run. */
export function sampleEvents(
  name = 'a.example.net',
  runId: RunId = newRunId(),
): { readonly [T in Type]: OfType<T> } {
  const host = { identity: identity(name) };
  const run = { ...host, runId };
  const digest = 'ab'.repeat(32);
  const place = { address: '192.0.2.1:7430', bootId: boot(1) };
  return {
    HOST_QUEUED: { type: 'HOST_QUEUED', ...host, ...place, cause: 'ADMITTED' },
    HOST_DROPPED: { type: 'HOST_DROPPED', count: 12, examples: [host.identity] },
    HOST_RELEASED: { type: 'HOST_RELEASED', ...host, cause: 'HOLD_OVER', message: 'its hold is over' },
    RUN_STARTED: { type: 'RUN_STARTED', ...run, ...place, fence: 1_700_000_000_000n, failuresInRow: 0 },
    STEP_COMPLETED: { type: 'STEP_COMPLETED', ...run, step: 'IDENTIFY', tries: 1, durationMs: 3.21 },
    STEP_FAILED: {
      type: 'STEP_FAILED',
      ...run,
      step: 'CONFIGURE',
      attempt: 1,
      code: 'UNAVAILABLE',
      reason: '',
      message: 'connection dropped',
      willRetry: true,
      durationMs: 2,
    },
    RUN_FINISHED: {
      type: 'RUN_FINISHED',
      ...run,
      outcome: 'PROVISIONED',
      reason: '',
      message: '',
      durationMs: 12.6,
      nextState: 'HELD',
      nextStateMs: 60_000,
      lastStep: 'RESTART',
      unsettled: false,
      configurationDigest: digest,
      failuresInRow: 0,
    },
    NODE_CONFIRMED: {
      type: 'NODE_CONFIRMED',
      ...run,
      configurationDigest: digest,
      onItsOwnWord: false,
      afterMs: 1_500,
    },
    CONFIRMATION_MISSED: { type: 'CONFIRMATION_MISSED', ...run, timeoutMs: 120_000 },
    PROVISION_LOOP: { type: 'PROVISION_LOOP', ...host, times: 3, withinMs: 3_600_000, backoffMs: 120_000 },
    NODE_CONFLICT: {
      type: 'NODE_CONFLICT',
      ...host,
      ...place,
      newcomerAddress: '192.0.2.7:1',
      newcomerBootId: boot(2),
    },
    PAUSED: { type: 'PAUSED', by: 'ops.example.net', message: 'maintenance' },
    RESUMED: { type: 'RESUMED', by: 'ops.example.net', message: '' },
    BREAKER_OPENED: { type: 'BREAKER_OPENED', failures: 20, reason: 'HELPER_EXIT', message: 'exit code 3' },
    BREAKER_CLOSED: { type: 'BREAKER_CLOSED', afterMs: 90_000 },
  };
}
