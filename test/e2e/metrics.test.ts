// The metrics of real processes: those of the design and no others, at zero from the start, and what alerts and
// dashboard ask of them.

import { expect, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import {
  type Exposition,
  metricOf,
  readExposition,
  type Series,
  selectedFrom,
} from '../queries/exposition.js';
import { type Query, readQuery, type Selector } from '../queries/promql.js';
import { alertRules, prometheusConfig, type ShippedQuery, shippedQueries } from '../queries/shipped.js';
import { untilConfirmed } from './confirmed.js';
import { exampleHelper, prepareStack, testHelper } from './workspace.js';

/** Of the design, section 11, with their types; all have the label `site` as well. */
const designed = {
  provisioner: {
    slipway_provisioner_paused: 'gauge',
    'slipway_provisioner_hosts{state}': 'gauge',
    slipway_provisioner_queue_entries: 'gauge',
    slipway_provisioner_oldest_queued_seconds: 'gauge',
    slipway_provisioner_busy_workers: 'gauge',
    'slipway_provisioner_sightings_total{type}': 'counter',
    slipway_provisioner_dropped_total: 'counter',
    'slipway_provisioner_runs_total{outcome,reason}': 'counter',
    slipway_provisioner_run_duration_seconds: 'histogram',
    'slipway_provisioner_rpc_duration_seconds{rpc}': 'histogram',
    'slipway_provisioner_rpc_errors_total{code,rpc}': 'counter',
    slipway_provisioner_helper_duration_seconds: 'histogram',
    'slipway_provisioner_helper_errors_total{reason}': 'counter',
    slipway_provisioner_confirmed_total: 'counter',
    slipway_provisioner_confirmations_missed_total: 'counter',
    slipway_provisioner_discovery_connected: 'gauge',
    slipway_provisioner_events_subscribers: 'gauge',
    slipway_provisioner_events_log_sequence: 'gauge',
    slipway_provisioner_events_lost_total: 'counter',
    'slipway_provisioner_credential_expiry_seconds{name}': 'gauge',
    'slipway_build_info{node,version}': 'gauge',
  },
  discovery: {
    'slipway_discovery_nodes{state}': 'gauge',
    'slipway_discovery_reports_total{type}': 'counter',
    'slipway_discovery_reports_refused_total{reason}': 'counter',
    slipway_discovery_cycles_total: 'counter',
    slipway_discovery_probe_errors_total: 'counter',
    slipway_discovery_watchers: 'gauge',
    'slipway_discovery_credential_expiry_seconds{name}': 'gauge',
    'slipway_build_info{node,version}': 'gauge',
  },
} as const;

/** What is not 0 with services that have just started and found each other. */
const notZero = [
  'slipway_build_info',
  'slipway_provisioner_credential_expiry_seconds',
  'slipway_provisioner_discovery_connected',
  'slipway_discovery_credential_expiry_seconds',
  'slipway_discovery_watchers',
  'slipway_discovery_cycles_total',
];

/** What may be 0 although nodes were provisioned: of what waits nothing does any more, and no event was lost. */
const mayBeZero = [
  'slipway_provisioner_paused',
  'slipway_provisioner_queue_entries',
  'slipway_provisioner_oldest_queued_seconds',
  'slipway_provisioner_busy_workers',
  'slipway_provisioner_dropped_total',
  'slipway_provisioner_confirmations_missed_total',
  'slipway_provisioner_events_subscribers',
  'slipway_provisioner_events_lost_total',
  'slipway_discovery_reports_refused_total',
];

test('right after the start: the metrics of the design and no others, with their labels, at zero', async () => {
  const stack = await prepareStack({ nodes: 0, helper: exampleHelper('minimal.sh') });
  await stack.start('discovery');
  await stack.start('provisioner');
  for (const service of ['discovery', 'provisioner'] as const) {
    const { types, series } = readExposition(await metricsOf(stack, service));
    const ours = series
      .map((one) => ({ ...one, metric: metricOf(one.name, types) }))
      .filter(({ metric }) => metric.startsWith('slipway_'));
    const served = ours.map((one) => [withLabels(one.metric, one), types.get(one.metric)]);
    expect(Object.fromEntries(served)).toEqual(designed[service]);
    expect(ours.filter(({ metric, value }) => value !== 0 && !notZero.includes(metric))).toEqual([]);
    expect(ours.filter(({ labels }) => labels.site !== 'demo')).toEqual([]);
  }
});

test('alerts and dashboard ask for series that are there, by labels that they have', async () => {
  const stack = await prepareStack({
    nodes: 10,
    tls: 'required',
    helper: `${testHelper('nothing-for.sh')} 7`,
    discovery: { interval: '2s', targets: ['127.0.0.1:1'] },
    provisioner: { interval: '2s' },
    swarm: ['--fault', 'identify:error:UNAVAILABLE:x1'],
  });
  await stack.startAll();
  await untilConfirmed(stack, 9, 60_000);
  const after = await until(
    async () => {
      const now = await scrapedAsPrometheusDoes(stack);
      const failed = { metric: 'slipway_provisioner_helper_errors_total', matchers: [], function: '' };
      return selectedFrom(now.series, failed).some(({ value }) => value > 0) && now;
    },
    { what: 'the helper had nothing to say of one node', timeoutMs: 30_000 },
  );
  expect(shippedQueries().flatMap((query) => faultsOf(query, after))).toEqual([]);
});

async function metricsOf(stack: Stack, service: 'discovery' | 'provisioner'): Promise<string> {
  const { discoveryMonitor, provisionerMonitor } = stack.ports;
  const port = service === 'discovery' ? discoveryMonitor : provisionerMonitor;
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

/** What Prometheus would have, with the labels and series that are its own. */
async function scrapedAsPrometheusDoes(stack: Stack): Promise<Exposition> {
  const types = new Map<string, string>([
    ['up', 'gauge'],
    ['ALERTS', 'gauge'],
  ]);
  const series: Series[] = alertRules().map(({ alert, labels }) => ({
    name: 'ALERTS',
    labels: { alertname: alert, alertstate: 'firing', ...labels },
    value: 1,
  }));
  for (const { job_name: job, static_configs: configs } of prometheusConfig().scrape_configs) {
    for (const instance of configs.flatMap(({ targets }) => targets)) {
      const service = instance.startsWith('discovery') ? 'discovery' : 'provisioner';
      const scraped = readExposition(await metricsOf(stack, service), { job, instance });
      for (const [name, type] of scraped.types) types.set(name, type);
      series.push(...scraped.series, { name: 'up', labels: { job, instance }, value: 1 });
    }
  }
  return { types, series };
}

/** What is wrong with a query, in sentences. */
function faultsOf({ where, expr, named }: ShippedQuery, scraped: Exposition): string[] {
  const query = readQuery(expr);
  const faults = [
    ...query.selectors.flatMap((selector) => faultsOfSelector(selector, scraped)),
    ...query.groupings.flatMap(({ labels, selectors }) =>
      selectors.flatMap((selector) => missingLabels(labels, selector, scraped)),
    ),
    ...named
      .filter((label) => !resultLabels(query, scraped).has(label))
      .map((label) => `its result has no label ${label}`),
  ];
  return faults.map((fault) => `${where}: ${fault}`);
}

function faultsOfSelector(selector: Selector, { types, series }: Exposition): string[] {
  const { metric, matchers, function: by } = selector;
  const all = series.filter(({ name }) => name === metric);
  if (all.length === 0) return [`there is no ${metric}`];
  if (selectedFrom(series, selector).length === 0) return [`nothing of ${metric} is selected`];
  const type = types.get(metricOf(metric, types));
  const counts = type === 'counter' || type === 'histogram';
  return [
    ...(counts === ['rate', 'increase'].includes(by) || by === 'absent'
      ? []
      : [`${metric} is a ${type}, and is given to ${by === '' ? 'no function' : by}`]),
    ...(mayBeZero.includes(metric) || all.some(({ value }) => value !== 0) ? [] : [`${metric} stays at 0`]),
    ...matchers.flatMap(({ label, value }) =>
      value
        .split('|')
        .filter((one) => !all.some(({ labels }) => new RegExp(`^(?:${one})$`).test(labels[label] ?? '')))
        .map((one) => `no ${metric} has ${label} ${one}`),
    ),
  ];
}

function missingLabels(labels: readonly string[], { metric }: Selector, { series }: Exposition): string[] {
  const all = series.filter(({ name }) => name === metric);
  return labels
    .filter((label) => !all.every((one) => one.labels[label] !== undefined))
    .map((label) => `${metric} has no label ${label}`);
}

/** The labels that a query's result can have: those that it groups by, or all of what it selects. */
function resultLabels({ selectors, groupings }: Query, { series }: Exposition): Set<string> {
  if (groupings.length > 0) return new Set(groupings.flatMap(({ labels }) => labels));
  const selected = selectors.flatMap((selector) => selectedFrom(series, selector));
  return new Set(selected.flatMap(({ labels }) => Object.keys(labels)));
}

function withLabels(metric: string, { labels }: Series): string {
  const names = Object.keys(labels)
    .filter((label) => label !== 'site' && label !== 'le')
    .sort();
  return names.length === 0 ? metric : `${metric}{${names.join(',')}}`;
}
