// What deploy/ has for Prometheus and Grafana, as tests look at it: every query, with the place where it stands.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { projectRoot } from '../../cli/launch/project.js';

export interface ShippedQuery {
  /** Where it stands, for messages. */
  readonly where: string;
  /** Without variables. */
  readonly expr: string;
  /** Labels that its result is expected to have, as texts beside it name them. */
  readonly named: readonly string[];
}

const ruleSchema = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), manual: z.string() }),
});

type AlertRule = z.output<typeof ruleSchema>;

const prometheusSchema = z.object({
  rule_files: z.array(z.string()),
  scrape_configs: z.array(
    z.object({
      job_name: z.string(),
      static_configs: z.array(z.object({ targets: z.array(z.string()) })),
    }),
  ),
});

/** The data source that whoever imports the dashboard chooses. */
const datasourceSchema = z.strictObject({
  type: z.literal('prometheus'),
  uid: z.string().regex(/^\$\{datasource\}$/),
});

const panelSchema = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  datasource: datasourceSchema.optional(),
  targets: z
    .array(z.object({ datasource: datasourceSchema, expr: z.string(), legendFormat: z.string() }))
    .default([]),
});

type Panel = z.output<typeof panelSchema>;

const variableSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('datasource'), name: z.literal('datasource'), query: z.literal('prometheus') }),
  z.object({ type: z.literal('query'), name: z.string(), datasource: datasourceSchema }),
]);

const dashboardSchema = z.object({
  uid: z.string(),
  title: z.string(),
  // Older ones Grafana takes apart as it thinks best.
  schemaVersion: z.number().min(36),
  templating: z.object({ list: z.tuple([variableSchema], variableSchema) }),
  panels: z.array(panelSchema),
});

/** The alerts of deploy/prometheus. */
export function alertRules(): AlertRule[] {
  const file = z.object({ groups: z.array(z.object({ name: z.string(), rules: z.array(ruleSchema) })) });
  return file.parse(parse(read('deploy/prometheus/alerts.yml'))).groups.flatMap(({ rules }) => rules);
}

export function prometheusConfig(): z.output<typeof prometheusSchema> {
  return prometheusSchema.parse(parse(read('deploy/prometheus/prometheus.yml')));
}

export function dashboardPanels(): Panel[] {
  return dashboardSchema.parse(JSON.parse(read('deploy/grafana/dashboards/slipway.json'))).panels;
}

/** All queries of alerts and dashboard. */
export function shippedQueries(): ShippedQuery[] {
  const alerts = alertRules().map(({ alert, expr, annotations }) => ({
    where: `alert ${alert}`,
    expr,
    named: namesIn(annotations.summary + annotations.description, /\$labels\.(\w+)/g),
  }));
  const panels = dashboardPanels().flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `panel ${title}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h').replaceAll('$site', '.*'),
      named: namesIn(legendFormat, /\{\{(\w+)\}\}/g),
    })),
  );
  return [...alerts, ...panels];
}

/** @param path relative to the project */
export function read(path: string): string {
  return readFileSync(join(projectRoot(), path), 'utf8');
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}
