// The provisioner's metrics (design, section 11): what there is, counted from events and calls, and read from
// the fleet. Whoever does the work knows nothing of them.

import type { Metrics } from '../../shared/metrics/registry.js';
import type { EventSink, ProvisioningEvent } from './events/event.js';
import { hostStates } from './fleet/admission.js';
import type { FleetStatus } from './fleet/fleet.js';
import type { NodeEvent } from './fleet/node-event.js';
import type { HelperObservation } from './helper/site-helper.js';
import type { CallCode } from './run/node.js';
import type { AttemptObserver, NodeRpc } from './run/node-client.js';
import type { FailureReason, HelperFailureReason, OutcomeKind, UpgradeFailureReason } from './run/outcome.js';
import type { LogStanding } from './standing/status.js';

/** What counts: hand it to those who work. */
export interface Meters extends EventSink, AttemptObserver {
  sighted(type: NodeEvent['type'] | 'INVALID'): void;
  helperRan(observation: HelperObservation): void;
}

/** What the gauges show. */
export interface State {
  fleet(): FleetStatus;
  paused(): boolean;
  /** Watches of discovery services that stand. */
  discoveriesConnected(): number;
  /** Undefined where there is no event log. */
  eventLog(): LogStanding | undefined;
  /** Seconds until each credential expires, of those that there are and that do. */
  credentialExpiry(): Partial<Record<CredentialName, number>>;
}

const credentialNames = ['tls', 'signing_token'] as const;

/** The credentials whose expiry is shown. */
export type CredentialName = (typeof credentialNames)[number];

const rpcSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const runSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Makes the metrics that count what happens; all are there at zero. */
export function createMeters(metrics: Metrics): Meters {
  const sightings = metrics.counter({
    name: 'sightings_total',
    help: 'Node events that discovery services sent, by type; INVALID are those that could not be understood.',
    labels: { type: [...keys(eventTypes), 'INVALID'] },
  });
  const dropped = metrics.counter({
    name: 'dropped_total',
    help: 'Sightings of hosts that did not fit into the queue.',
  });
  const runs = metrics.counter({
    name: 'runs_total',
    help: 'Finished runs by outcome, and for those that failed, or whose upgrade did, by reason.',
    labels: { outcome: keys(outcomes), reason: ['', ...keys(reasons), ...keys(upgradeReasons)] },
    only: runSeries,
  });
  const runDuration = metrics.histogram({
    name: 'run_duration_seconds',
    help: 'How long runs took.',
    buckets: runSeconds,
  });
  const rpcDuration = metrics.histogram({
    name: 'rpc_duration_seconds',
    help: 'How long attempts of calls to nodes took.',
    labels: { rpc: keys(rpcs) },
    buckets: rpcSeconds,
  });
  const rpcErrors = metrics.counter({
    name: 'rpc_errors_total',
    help: 'Attempts of calls to nodes that failed, by status code.',
    labels: { rpc: keys(rpcs), code: keys(codes) },
  });
  const helperDuration = metrics.histogram({
    name: 'helper_duration_seconds',
    help: 'How long helpers ran, the wait for a slot aside.',
    buckets: rpcSeconds,
  });
  const helperErrors = metrics.counter({
    name: 'helper_errors_total',
    help: 'Helpers that gave no usable reply, by reason.',
    labels: { reason: keys(helperReasons) },
  });
  const confirmed = metrics.counter({
    name: 'confirmed_total',
    help: 'Nodes that said that they came up with the configuration of a run.',
  });
  const missed = metrics.counter({
    name: 'confirmations_missed_total',
    help: 'Runs whose node did not say so in time.',
  });

  return {
    sighted: (type) => sightings.inc({ type }),
    observe: (rpc, code, durationMs) => {
      rpcDuration.observe({ rpc }, durationMs / 1000);
      if (code !== '' && code !== 'OK') rpcErrors.inc({ rpc, code });
    },
    helperRan: ({ durationMs, reason }) => {
      helperDuration.observe(durationMs / 1000);
      if (reason !== undefined) helperErrors.inc({ reason });
    },
    publish: (event: ProvisioningEvent) => {
      switch (event.type) {
        case 'HOST_DROPPED':
          dropped.inc(event.count);
          return;
        case 'RUN_FINISHED':
          runs.inc({ outcome: event.outcome, reason: event.reason });
          runDuration.observe(event.durationMs / 1000);
          return;
        case 'NODE_CONFIRMED':
          confirmed.inc();
          return;
        case 'CONFIRMATION_MISSED':
          missed.inc();
          return;
        default:
      }
    },
  };
}

/** Makes the metrics that show what is the case. */
export function showState(metrics: Metrics, state: State): void {
  metrics.gauge({
    name: 'paused',
    help: '1 while no runs are started because an operator paused the provisioner.',
    read: () => Number(state.paused()),
  });
  metrics.gauge({
    name: 'hosts',
    help: 'Known hosts by state.',
    labels: { state: hostStates },
    read: (set) => {
      const { hosts } = state.fleet();
      for (const name of hostStates) set({ state: name }, hosts[name]);
    },
  });
  metrics.gauge({ name: 'queue_entries', help: 'Hosts that wait.', read: () => state.fleet().queued });
  metrics.gauge({
    name: 'oldest_queued_seconds',
    help: 'How long the first in the queue has waited; 0 where none does.',
    read: () => state.fleet().oldestQueuedMs / 1000,
  });
  metrics.gauge({ name: 'busy_workers', help: 'Runs that go on.', read: () => state.fleet().busyWorkers });
  metrics.gauge({
    name: 'discovery_connected',
    help: 'Discovery services whose watch stands.',
    read: () => state.discoveriesConnected(),
  });
  showEventLog(metrics, () => state.eventLog());
  metrics.gauge({
    name: 'credential_expiry_seconds',
    help: 'Seconds until a credential expires, below 0 once it has; +Inf where there is none, or it does not.',
    labels: { name: credentialNames },
    read: (set) => {
      const expiry = state.credentialExpiry();
      for (const name of credentialNames) set({ name }, expiry[name] ?? Number.POSITIVE_INFINITY);
    },
  });
}

function showEventLog(metrics: Metrics, log: State['eventLog']): void {
  metrics.gauge({
    name: 'events_subscribers',
    help: 'Watches of the event log that are open.',
    read: () => log()?.subscribers ?? 0,
  });
  metrics.gauge({
    name: 'events_log_sequence',
    help: 'The number of the last event that readers are given; 0 where there is none.',
    read: () => log()?.last ?? 0,
  });
  metrics.counter({
    name: 'events_lost_total',
    help: 'Events that could not be written to the event log.',
    read: () => log()?.lost ?? 0,
  });
}

// The values that labels take, as records so that one that is missing does not compile.

const eventTypes: Readonly<Record<NodeEvent['type'], true>> = {
  STARTUP: true,
  SIGHTED: true,
  UPGRADED: true,
  PROVISIONED: true,
  SHUTDOWN: true,
  EXPIRED: true,
  CONFLICT: true,
};

const outcomes: Readonly<Record<OutcomeKind, true>> = {
  PROVISIONED: true,
  UPGRADED: true,
  UPGRADE_FAILED: true,
  SHUT_DOWN: true,
  DEFERRED: true,
  FAILED: true,
  SKIPPED_STALE: true,
  SUPERSEDED: true,
  CANCELLED: true,
};

const helperReasons: Readonly<Record<HelperFailureReason, true>> = {
  HELPER_TIMEOUT: true,
  HELPER_EXIT: true,
  HELPER_EMPTY: true,
  HELPER_INVALID: true,
  HELPER_TOO_LARGE: true,
  HELPER_NOT_FOUND: true,
};

const reasons: Readonly<Record<FailureReason, true>> = {
  UNREACHABLE: true,
  IDENTITY_MISMATCH: true,
  NOT_PROVISIONING: true,
  FEATURE_MISSING: true,
  PROOF_INVALID: true,
  SECRET_MISMATCH: true,
  RPC_FAILED: true,
  MESSAGE_TOO_LARGE: true,
  REPLY_INVALID: true,
  RUN_TIMEOUT: true,
  TOKEN_INVALID: true,
  KEY_PROOF_INVALID: true,
  KEY_CHANGED: true,
  CSR_INVALID: true,
  CSR_DENIED: true,
  EMPTY_CONFIGURATION: true,
  KEY_INVALID: true,
  SERVER_CLAIMS_EXPIRED: true,
  SIGNING_FAILED: true,
  FENCE_AHEAD: true,
  PROVISIONING_ENABLED: true,
  RESTARTED_UNCONFIGURED: true,
  ...helperReasons,
};

const upgradeReasons: Readonly<Record<UpgradeFailureReason, true>> = {
  UPGRADE_REFUSED: true,
  UPGRADE_RPC_FAILED: true,
  UPGRADE_LOOP: true,
};

const rpcs: Readonly<Record<NodeRpc, true>> = {
  Identify: true,
  GetJwt: true,
  GenerateEd25519Key: true,
  GetInventory: true,
  GenerateCsr: true,
  UpdateRelease: true,
  Configure: true,
  Restart: true,
  Shutdown: true,
  Reprovision: true,
  GetRunStatus: true,
};

const codes: Readonly<Record<CallCode, true>> = {
  CANCELLED: true,
  UNKNOWN: true,
  INVALID_ARGUMENT: true,
  DEADLINE_EXCEEDED: true,
  NOT_FOUND: true,
  ALREADY_EXISTS: true,
  PERMISSION_DENIED: true,
  RESOURCE_EXHAUSTED: true,
  FAILED_PRECONDITION: true,
  ABORTED: true,
  OUT_OF_RANGE: true,
  UNIMPLEMENTED: true,
  INTERNAL: true,
  UNAVAILABLE: true,
  DATA_LOSS: true,
  UNAUTHENTICATED: true,
};

/** Only a run that failed, or whose upgrade did, has a reason. */
const runSeries: readonly {
  outcome: OutcomeKind;
  reason: FailureReason | UpgradeFailureReason | '';
}[] = [
  ...keys(outcomes)
    .filter((outcome) => outcome !== 'FAILED' && outcome !== 'UPGRADE_FAILED')
    .map((outcome) => ({ outcome, reason: '' as const })),
  ...keys(upgradeReasons).map((reason) => ({ outcome: 'UPGRADE_FAILED' as const, reason })),
  ...keys(reasons).map((reason) => ({ outcome: 'FAILED' as const, reason })),
];

function keys<K extends string>(record: Readonly<Record<K, true>>): K[] {
  return Object.keys(record) as K[];
}
