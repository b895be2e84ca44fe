import { describe, expect, it } from 'vitest';
import { Metrics } from '../../shared/metrics/registry.js';
import { event } from '../../test/fakes/provisioning-events.js';
import { createMeters, showState } from './metrics.js';
import type { LogStanding } from './standing/status.js';

const prefix = 'slipway_provisioner_';

const written: LogStanding = {
  logId: 'a-log',
  first: 3,
  last: 42,
  uncommittedBytes: 0,
  failing: false,
  error: '',
  lost: 5,
  subscribers: 2,
};

function started(eventLog?: LogStanding) {
  const metrics = new Metrics({ site: 'lab', service: 'provisioner' });
  const meters = createMeters(metrics);
  showState(metrics, {
    fleet: () => ({
      hosts: { QUEUED: 1, RUNNING: 2, HELD: 3, BACKING_OFF: 4 },
      queued: 1,
      oldestQueuedMs: 1_500,
      busyWorkers: 2,
    }),
    paused: () => true,
    discoveriesConnected: () => 1,
    eventLog: () => eventLog,
    credentialExpiry: () => ({ tls: 86_400.5 }),
  });
  const lines = async (name: string) =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(prefix + name));
  return { meters, lines };
}

describe("the provisioner's metrics", () => {
  it('are all there from the start', async () => {
    const { lines } = started();
    const names = [
      'credential_expiry_seconds',
      'paused',
      'hosts',
      'queue_entries',
      'oldest_queued_seconds',
      'busy_workers',
      'sightings_total',
      'dropped_total',
      'runs_total',
      'run_duration_seconds_count',
      'rpc_duration_seconds_count',
      'rpc_errors_total',
      'helper_duration_seconds_count',
      'helper_errors_total',
      'confirmed_total',
      'confirmations_missed_total',
      'discovery_connected',
      'events_subscribers',
      'events_log_sequence',
      'events_lost_total',
    ];
    for (const name of names) expect(await lines(`${name}{`), name).not.toEqual([]);
    expect(await lines('runs_total{outcome="PROVISIONED"')).toHaveLength(1);
    expect(await lines('runs_total{outcome="FAILED",reason=""')).toEqual([]);
    expect(await lines('runs_total{outcome="UPGRADED"')).toEqual([expect.stringContaining('reason=""')]);
    expect(await lines('runs_total{outcome="UPGRADE_FAILED"')).toEqual([
      expect.stringMatching(/reason="UPGRADE_REFUSED".* 0$/),
      expect.stringMatching(/reason="UPGRADE_RPC_FAILED".* 0$/),
      expect.stringMatching(/reason="UPGRADE_LOOP".* 0$/),
    ]);
  });

  it('show what is the case', async () => {
    const { lines } = started();
    expect(await lines('hosts{state="BACKING_OFF"')).toEqual([expect.stringMatching(/ 4$/)]);
    expect(await lines('oldest_queued_seconds')).toEqual([expect.stringMatching(/ 1.5$/)]);
    expect(await lines('paused')).toEqual([expect.stringMatching(/ 1$/)]);
    expect(await lines('credential_expiry_seconds{name="tls"')).toEqual([expect.stringMatching(/ 86400.5$/)]);
    expect(await lines('credential_expiry_seconds{name="signing_token"')).toEqual([
      expect.stringMatching(/ \+Inf$/),
    ]);
  });

  it('show how the event log does', async () => {
    const { lines } = started(written);
    expect(await lines('events_subscribers')).toEqual([expect.stringMatching(/ 2$/)]);
    expect(await lines('events_log_sequence')).toEqual([expect.stringMatching(/ 42$/)]);
    expect(await lines('events_lost_total')).toEqual([expect.stringMatching(/ 5$/)]);
    expect(await lines('events_lost_total')).toEqual([expect.stringMatching(/ 5$/)]);
  });

  it('tell upgrades that take long from those that take too long', async () => {
    const { meters, lines } = started();
    for (const seconds of [45, 90, 121]) meters.observe('UpdateRelease', 'OK', seconds * 1_000);
    const within = async (seconds: number) =>
      (await lines(`rpc_duration_seconds_bucket{le="${seconds}",site="lab",rpc="UpdateRelease"`))
        .at(0)
        ?.split(' ')
        .at(-1);
    expect([await within(30), await within(60), await within(120)]).toEqual(['0', '1', '2']);
  });

  it('count what happens', async () => {
    const { meters, lines } = started();
    meters.sighted('INVALID');
    meters.observe('Configure', 'UNAVAILABLE', 20);
    meters.observe('Configure', '', 20);
    meters.helperRan({ durationMs: 5, reason: 'HELPER_EXIT' });
    meters.publish({ type: 'HOST_DROPPED', count: 7, examples: [] });
    meters.publish(event('NODE_CONFIRMED'));
    meters.publish(event('CONFIRMATION_MISSED'));
    meters.publish(event('RUN_FINISHED', { outcome: 'FAILED', reason: 'UNREACHABLE', durationMs: 2_000 }));
    const counted: [string, number][] = [
      ['sightings_total{type="INVALID"', 1],
      ['rpc_errors_total{rpc="Configure",code="UNAVAILABLE"', 1],
      ['rpc_duration_seconds_count{site="lab",rpc="Configure"', 2],
      ['helper_errors_total{reason="HELPER_EXIT"', 1],
      ['dropped_total', 7],
      ['confirmed_total', 1],
      ['confirmations_missed_total', 1],
      ['runs_total{outcome="FAILED",reason="UNREACHABLE"', 1],
      ['run_duration_seconds_sum', 2],
    ];
    for (const [name, value] of counted) {
      expect(await lines(name)).toEqual([expect.stringMatching(new RegExp(` ${value}$`))]);
    }
  });
});
