// The manual keeps up with the code: what there is stands in it, with the default that it has, and what stands
// in it is there.

import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { discoverySchema } from '../../services/discovery/config.js';
import { discoveryMetrics, showCredentialExpiry } from '../../services/discovery/metrics.js';
import { usage } from '../../services/mock-node/flags.js';
import { provisionerSchema } from '../../services/provisioner/config.js';
import { adviceOn } from '../../services/provisioner/standing/waits/advice.js';
import { variableOf } from '../../shared/config/environment.js';
import { settingsOf } from '../../shared/config/schema.js';
import { durationMs } from '../../shared/durations.js';
import { WaitCause } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { Metrics } from '../../shared/metrics/registry.js';
import { allPages, Page, quoted } from './manual-support.js';
import { Site } from './provisioner-support.js';

const configuration = new Page('docs/configuration.md');
const operations = new Page('docs/operations.md');

const tls = { mode: 'insecure' };
const services = [
  { name: 'Discovery', schema: discoverySchema, given: { tls } },
  { name: 'Provisioner', schema: provisionerSchema, given: { tls, discovery: 'd:1', helper: 'true' } },
] as const;

/** Settings whose default depends on the machine, and those that have none and must be written. */
const undocumentedDefaults = ['helper_concurrency', 'tls.mode', 'discovery', 'helper'];

describe.each(services)('configuration of $name', ({ name, schema, given }) => {
  const settings = settingsOf(schema);
  const sections = ['Both services', name, 'Not in this version'];
  const rows = new Map(
    sections
      .flatMap((section) => configuration.rowsUnder(section))
      .map(([key = '', variable = '', , initial = '']) => [quoted(key).join(), { variable, initial }]),
  );

  test('every setting is there, with its variable', () => {
    const documented = settings.map(({ path }) => [path, rows.get(path)?.variable]);
    expect(documented).toEqual(settings.map(({ path }) => [path, `\`${variableOf(path)}\``]));
  });

  test('every default is the one that the service takes', () => {
    const defaults = schema.parse(given);
    const compared = settings.filter(({ path }) => !undocumentedDefaults.includes(path));
    const shown = compared.map(({ path }) => {
      const actual = valueAt(defaults, path);
      return [path, readDefault(rows.get(path)?.initial ?? '', actual)];
    });
    expect(shown).toEqual(compared.map(({ path }) => [path, valueAt(defaults, path)]));
  });
});

test('the manual has no setting that is not there', () => {
  const paths = services.map(({ schema }) => settingsOf(schema).map(({ path }) => path));
  const [discovery = [], provisioner = []] = paths;
  const both = discovery.filter((path) => provisioner.includes(path));
  const unknown = (section: string, known: readonly string[]) =>
    configuration.namesUnder(section).filter((name) => !known.includes(name) && !name.startsWith('SLIPWAY_'));
  expect(unknown('Both services', both)).toEqual([]);
  expect(unknown('Discovery', discovery)).toEqual([]);
  expect(unknown('Provisioner', provisioner)).toEqual([]);
  expect(unknown('Not in this version', paths.flat())).toEqual([]);
});

test('the manual has the flags of the mock node', () => {
  const names = (text: string) => new Set(text.match(/--[a-z-]+/g));
  expect(names(configuration.namesUnder('Flags of the mock node').join('\n'))).toEqual(names(usage));
});

describe('operations', () => {
  test('every metric is there, with its labels', async () => {
    const all = [...(await provisionerMetrics()), ...(await discoveryOnly())];
    expect(new Set(operations.namesUnder('Metrics'))).toEqual(new Set(all.map(nameWithLabels)));
  });

  test('every outcome and reason is there', async () => {
    const runs = (await provisionerMetrics()).find(({ name }) => name === 'slipway_provisioner_runs_total');
    expect(new Set(operations.namesUnder('Outcomes').filter(isUpperCase))).toEqual(
      new Set([...labelValues(runs, 'outcome'), ...hostStates]),
    );
    expect(new Set(operations.namesUnder('Reasons'))).toEqual(labelValues(runs, 'reason'));
  });

  test('what is to be done about a reason is what the provisioner says', () => {
    const documented = operations
      .rowsUnder('Reasons')
      .map(([reason = '', , help = '']) => [quoted(reason).join(), plain(help)]);
    const said = Object.entries(adviceOn).map(([reason, advice]) => [reason, plain(advice)]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(said));
  });

  test('everything that a node can wait for is there', () => {
    const causes = Object.keys(WaitCause).filter((name) => !/^UN(SPECIFIED|RECOGNIZED)$/.test(name));
    const documented = operations.rowsUnder('Why a node is stuck').flatMap(([cause = '']) => quoted(cause));
    expect(new Set(documented)).toEqual(new Set(causes));
  });

  test('every reason for which a report is refused is there', async () => {
    const refused = (await discoveryOnly()).find(({ name }) => name.endsWith('reports_refused_total'));
    const documented = operations.namesUnder('Refused reports');
    expect([...labelValues(refused, 'reason')].filter((reason) => !documented.includes(reason))).toEqual([]);
  });
});

test.each(allPages())('links of $path lead somewhere', (page) => {
  expect(page.brokenLinks()).toEqual([]);
});

const hostStates = ['QUEUED', 'RUNNING', 'HELD', 'BACKING_OFF'];

type Metric = MetricObjectWithValues<MetricValue<string>>;

async function provisionerMetrics(): Promise<Metric[]> {
  const app = await new Site().start(['127.0.0.1:1']);
  return ours(app.metrics);
}

function discoveryOnly(): Promise<Metric[]> {
  const metrics = new Metrics({ site: 'manual', service: 'discovery' });
  discoveryMetrics(metrics, { liveCount: 0, configuredCount: 0 });
  showCredentialExpiry(metrics, () => undefined);
  return ours(metrics);
}

async function ours({ registry }: Metrics): Promise<Metric[]> {
  const all = await registry.getMetricsAsJSON();
  return all.filter(({ name }) => name.startsWith('slipway_'));
}

/** As the manual writes them: `name{label,label}`. */
function nameWithLabels({ name, values }: Metric): string {
  const labels = Object.keys(values[0]?.labels ?? {}).filter((label) => !['site', 'le'].includes(label));
  return labels.length === 0 ? name : `${name}{${labels.join(',')}}`;
}

function labelValues(metric: Metric | undefined, label: string): Set<string> {
  const values = (metric?.values ?? []).map(({ labels }) => String(labels[label] ?? ''));
  return new Set(values.filter((value) => value !== ''));
}

/** A sentence without what only one of page and terminal can show. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll('’', "'");
}

function isUpperCase(text: string): boolean {
  return /^[A-Z_]+$/.test(text);
}

function valueAt(settings: z.output<z.ZodObject>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], settings);
}

/** The default that a cell shows, as the kind of value that it is compared with. */
function readDefault(cell: string, like: unknown): unknown {
  const [text] = quoted(cell);
  if (text === undefined) return undefined;
  if (Array.isArray(like)) return text === '[]' ? [] : [text];
  if (typeof like === 'boolean') return text === 'true';
  if (typeof like === 'number') return /^\d+$/.test(text) ? Number(text) : durationMs(text);
  return text;
}
