// What /metrics of a service gives, as series with labels, and those that Prometheus adds.

import type { Matcher, Selector } from './promql.js';

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Exposition {
  /** By the names that `# TYPE` has. */
  readonly types: ReadonlyMap<string, string>;
  readonly series: readonly Series[];
}

/** @param added labels that Prometheus would put on every series, such as `job` */
export function readExposition(text: string, added: Readonly<Record<string, string>> = {}): Exposition {
  const types = new Map<string, string>();
  const series: Series[] = [];
  for (const line of text.split('\n').filter((line) => line !== '')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) types.set(name, type);
    if (!line.startsWith('#')) series.push(readSeries(line, added));
  }
  return { types, series };
}

/** The series that a selector selects. */
export function selectedFrom(series: readonly Series[], { metric, matchers }: Selector): Series[] {
  return series.filter(
    ({ name, labels }) => name === metric && matchers.every((one) => matches(labels, one)),
  );
}

/** The metric that a series belongs to: that of a histogram for its buckets, its sum and its count. */
export function metricOf(name: string, types: Exposition['types']): string {
  if (types.has(name)) return name;
  return name.replace(/_(bucket|sum|count)$/, '');
}

function readSeries(line: string, added: Readonly<Record<string, string>>): Series {
  const [, name, labels = '', value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no series: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label, of]);
  return { name, labels: { ...Object.fromEntries(pairs), ...added }, value: numberOf(value) };
}

function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}

function matches(labels: Series['labels'], { label, operator, value }: Matcher): boolean {
  const actual = labels[label] ?? '';
  switch (operator) {
    case '=':
      return actual === value;
    case '!=':
      return actual !== value;
    case '=~':
      return new RegExp(`^(?:${value})$`).test(actual);
    case '!~':
      return !new RegExp(`^(?:${value})$`).test(actual);
  }
}
