// When alerts fire and when they do not, as Prometheus itself would evaluate them: by promtool, where it is there.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { projectRoot } from '../../cli/launch/project.js';
import { alertRules } from '../queries/shipped.js';

const promtool = spawnSync('promtool', ['--version']).error === undefined;
if (!promtool) process.stderr.write('There is no promtool: when alerts fire is not tested.\n');

const provisioner = 'site="lab",job="slipway-provisioner",instance="p:7421"';
const discovery = 'site="lab",job="slipway-discovery",instance="d:7411"';

/** Values of a series, minute by minute: `0+1x300` rises by one, 300 times. */
type Values = string;

/** A site that does well, for five hours. */
const well: Readonly<Record<string, Values>> = {
  'up{job="slipway-provisioner",instance="p:7421"}': '1x300',
  'up{job="slipway-discovery",instance="d:7411"}': '1x300',
  [ours('paused')]: '0x300',
  [ours('hosts', 'state="BACKING_OFF"')]: '0x300',
  [ours('oldest_queued_seconds')]: '20x300',
  [ours('discovery_connected')]: '1x300',
  [ours('dropped_total')]: '0x300',
  [ours('sightings_total', 'type="CONFLICT"')]: '0x300',
  [ours('sightings_total', 'type="INVALID"')]: '0x300',
  [ours('runs_total', 'outcome="PROVISIONED",reason=""')]: '0+1x300',
  [ours('runs_total', 'outcome="CANCELLED",reason=""')]: '0+5x300',
  [ours('runs_total', 'outcome="FAILED",reason="UNREACHABLE"')]: '0x300',
  [ours('runs_total', 'outcome="UPGRADE_FAILED",reason="UPGRADE_LOOP"')]: '0x300',
  [ours('helper_errors_total', 'reason="HELPER_EXIT"')]: '0x300',
  [ours('confirmations_missed_total')]: '0x300',
  [ours('events_lost_total')]: '0x300',
  [ours('credential_expiry_seconds', 'name="tls"')]: '5000000-60x300',
  [ours('credential_expiry_seconds', 'name="signing_token"')]: '1e12x300',
  [theirs('credential_expiry_seconds', 'name="tls"')]: '5000000-60x300',
  [theirs('watchers')]: '1x300',
  [theirs('reports_refused_total', 'reason="TOKEN_INVALID"')]: '0x300',
  [theirs('reports_refused_total', 'reason="RATE_LIMITED"')]: '0x300',
  [`slipway_build_info{version="1.0.0",${provisioner}}`]: '1x300',
  [`slipway_build_info{version="1.0.0",${discovery}}`]: '1x300',
};

interface Case {
  readonly what: string;
  /** Values in the place of those of a site that does well; empty: there is no such series. */
  readonly but: Readonly<Record<string, Values>>;
  /** Names without `Slipway`. */
  readonly fires: readonly string[];
}

const cases: readonly Case[] = [
  { what: 'all is well', but: {}, fires: [] },
  {
    what: 'the provisioner is down',
    but: { 'up{job="slipway-provisioner",instance="p:7421"}': '0x300' },
    fires: ['InstanceDown'],
  },
  { what: 'there is no provisioner', but: { [ours('paused')]: '' }, fires: ['Absent'] },
  { what: 'there is no discovery', but: { [theirs('watchers')]: '' }, fires: ['Absent'] },
  { what: 'nobody watches', but: { [theirs('watchers')]: '0x300' }, fires: ['NobodyWatchesDiscovery'] },
  {
    what: 'no discovery service is watched',
    but: { [ours('discovery_connected')]: '0x300' },
    fires: ['NoDiscovery'],
  },
  {
    what: 'paused for all the time, with hosts that wait',
    but: { [ours('paused')]: '1x300', [ours('oldest_queued_seconds')]: '0+60x300' },
    fires: ['PausedLong'],
  },
  { what: 'paused for two hours', but: { [ours('paused')]: '0x180 1x120' }, fires: [] },
  {
    what: 'hosts wait for long',
    but: { [ours('oldest_queued_seconds')]: '0+60x300' },
    fires: ['QueueOld'],
  },
  {
    what: 'the queue was full a minute ago',
    but: { [ours('dropped_total')]: '0x298 7x2' },
    fires: ['QueueFull'],
  },
  {
    what: 'half of the runs fail',
    but: { [ours('runs_total', 'outcome="FAILED",reason="UNREACHABLE"')]: '0+1x300' },
    fires: ['RunsFail'],
  },
  {
    what: 'one run in eleven fails',
    but: {
      [ours('runs_total', 'outcome="PROVISIONED",reason=""')]: '0+10x300',
      [ours('runs_total', 'outcome="FAILED",reason="UNREACHABLE"')]: '0+1x300',
    },
    fires: [],
  },
  {
    what: 'nothing runs but one that fails',
    but: {
      [ours('runs_total', 'outcome="PROVISIONED",reason=""')]: '7x300',
      [ours('runs_total', 'outcome="FAILED",reason="UNREACHABLE"')]: '0x295 1x5',
    },
    fires: [],
  },
  {
    what: 'hosts back off',
    but: { [ours('hosts', 'state="BACKING_OFF"')]: '2x300' },
    fires: ['HostsBackOff'],
  },
  {
    what: 'an upgrade that has no effect',
    but: { [ours('runs_total', 'outcome="UPGRADE_FAILED",reason="UPGRADE_LOOP"')]: '0x270 1x30' },
    fires: ['NodesLoop'],
  },
  {
    what: 'a node did not come up',
    but: { [ours('confirmations_missed_total')]: '0x280 1x20' },
    fires: ['ConfirmationsMissed'],
  },
  {
    what: 'the helper fails once a minute',
    but: { [ours('helper_errors_total', 'reason="HELPER_EXIT"')]: '0+1x300' },
    fires: ['HelperFails'],
  },
  {
    what: 'the helper has failed once',
    but: { [ours('helper_errors_total', 'reason="HELPER_EXIT"')]: '0x295 1x5' },
    fires: [],
  },
  {
    what: 'a certificate of discovery ends in ten days',
    but: { [theirs('credential_expiry_seconds', 'name="tls"')]: '864000-60x300' },
    fires: ['CredentialExpires'],
  },
  {
    what: 'the token that signs has expired',
    but: { [ours('credential_expiry_seconds', 'name="signing_token"')]: '1000-60x300' },
    fires: ['CredentialExpires', 'CredentialExpiresSoon'],
  },
  { what: 'events were lost', but: { [ours('events_lost_total')]: '0x295 9x5' }, fires: ['EventsLost'] },
  {
    what: 'a node with a wrong token reports every ten seconds',
    but: { [theirs('reports_refused_total', 'reason="TOKEN_INVALID"')]: '0+6x300' },
    fires: ['ReportsRefused'],
  },
  {
    what: 'more nodes come than are taken, for ten minutes',
    but: { [theirs('reports_refused_total', 'reason="RATE_LIMITED"')]: '0x290 0+600x10' },
    fires: [],
  },
  {
    what: 'more nodes come than are taken, all the time',
    but: { [theirs('reports_refused_total', 'reason="RATE_LIMITED"')]: '0+600x300' },
    fires: ['DiscoveryOverloaded'],
  },
  {
    what: 'two machines of one name',
    but: { [ours('sightings_total', 'type="CONFLICT"')]: '0x295 1x5' },
    fires: ['NodeConflict'],
  },
  {
    what: 'discovery says what is not understood',
    but: { [ours('sightings_total', 'type="INVALID"')]: '0x295 1x5' },
    fires: ['SightingsInvalid'],
  },
  {
    what: 'discovery was not upgraded',
    but: {
      [`slipway_build_info{version="1.0.0",${discovery}}`]: '',
      [`slipway_build_info{version="0.9.0",${discovery}}`]: '1x300',
    },
    fires: ['VersionsDiffer'],
  },
];

test('there is a case for every alert', () => {
  const fired = new Set(cases.flatMap(({ fires }) => fires.map((name) => `Slipway${name}`)));
  expect([...fired].sort()).toEqual(
    alertRules()
      .map(({ alert }) => alert)
      .sort(),
  );
});

describe.skipIf(!promtool)('after five hours', () => {
  test.each(cases)('$what: $fires', ({ but, fires }) => {
    const series = Object.entries({ ...well, ...but }).filter(([, values]) => values !== '');
    const firing = fires.map((name) => ({ labels: `{alertname="Slipway${name}"}`, value: 1 }));
    expect(testedByPromtool(series, firing)).toBe('');
  });
});

/** @returns what promtool has to say against it; empty where these alerts fire and no others */
function testedByPromtool(
  series: readonly (readonly [string, Values])[],
  firing: readonly { readonly labels: string; readonly value: number }[],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-alerts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'case.yml');
  const expr = 'group by (alertname) (ALERTS{alertstate="firing"})';
  const written = {
    rule_files: [join(projectRoot(), 'deploy/prometheus/alerts.yml')],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series.map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [{ expr, eval_time: '299m', exp_samples: firing }],
      },
    ],
  };
  writeFileSync(file, stringify(written));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

function ours(name: string, labels = ''): string {
  return `slipway_provisioner_${name}{${[labels, provisioner].filter((text) => text !== '').join(',')}}`;
}

function theirs(name: string, labels = ''): string {
  return `slipway_discovery_${name}{${[labels, discovery].filter((text) => text !== '').join(',')}}`;
}
