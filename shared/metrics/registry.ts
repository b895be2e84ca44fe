// The metrics of one service: prom-client behind makers that know label values, so that everything is there at
// zero from the start (design, section 11). Which metrics there are is the services' to say.

import * as prometheus from 'prom-client';
import { productVersion } from '../process/version.js';
import { combinations, type LabelSet, type Labels } from './labels.js';

export interface Counter {
  inc(by?: number): void;
}

export interface LabelledCounter<Set> {
  inc(labels: Set, by?: number): void;
}

export interface Gauge {
  set(value: number): void;
}

export interface LabelledGauge<Set> {
  set(labels: Set, value: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

export interface LabelledHistogram<Set> {
  observe(labels: Set, value: number): void;
}

interface Description {
  /** Without the prefix `slipway_SERVICE_`, which is put before it. */
  readonly name: string;
  readonly help: string;
}

interface Labelled<L extends Labels> {
  /** Per label its known values; all their combinations exist at zero. */
  readonly labels: L;
  /** The combinations that exist at zero, where not all of them make sense. */
  readonly only?: readonly LabelSet<L>[];
}

interface Buckets {
  /** Upper bounds; default: from 5 ms to 10 s, for seconds. */
  readonly buckets?: readonly number[];
}

interface Read<Reading> {
  /** Gives the value when metrics are asked for; without it, `set` does, or `inc`. A count must never go down. */
  readonly read?: Reading;
}

/** Sets the values of a labelled gauge; those that it does not set are zero. */
type ReadLabelled<Set> = (set: (labels: Set, value: number) => void) => void;

/** The registry of one service, with `site` on every metric, the process's own metrics and build_info. */
export class Metrics {
  readonly registry = new prometheus.Registry();
  readonly #prefix: string;

  constructor(options: { readonly site: string; readonly service: string }) {
    this.#prefix = `slipway_${options.service.replaceAll('-', '_')}_`;
    this.registry.setDefaultLabels({ site: options.site });
    prometheus.collectDefaultMetrics({ register: this.registry });
    new prometheus.Gauge({
      name: 'slipway_build_info',
      help: 'The version of Slipway and of Node.js; always 1.',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version: productVersion(), node: process.version }, 1);
  }

  /** Counts what happened; its name ends in `_total`. */
  counter<const L extends Labels>(options: Description & Labelled<L>): LabelledCounter<LabelSet<L>>;
  counter(options: Description & Read<() => number>): Counter;
  counter(
    options: Description & Partial<Labelled<Labels>> & Read<() => number>,
  ): Counter | LabelledCounter<LabelSet<Labels>> {
    const { read } = options;
    const counter: prometheus.Counter = new prometheus.Counter({
      ...this.#configuration(options),
      ...(read !== undefined && {
        collect: () => {
          counter.reset();
          counter.inc(read());
        },
      }),
    });
    for (const set of seriesOf(options)) counter.inc(set, 0);
    return counter;
  }

  /** Shows what is the case now. */
  gauge<const L extends Labels>(
    options: Description & Labelled<L> & Read<ReadLabelled<LabelSet<L>>>,
  ): LabelledGauge<LabelSet<L>>;
  gauge(options: Description & Read<() => number>): Gauge;
  gauge(
    options: Description &
      Partial<Labelled<Labels>> &
      Read<(set: (labels: LabelSet<Labels>, value: number) => void) => unknown>,
  ): Gauge | LabelledGauge<LabelSet<Labels>> {
    const { read } = options;
    const gauge: prometheus.Gauge = new prometheus.Gauge({
      ...this.#configuration(options),
      ...(read !== undefined && { collect: () => collect(read) }),
    });
    const zero = () => {
      for (const set of seriesOf(options)) gauge.set(set, 0);
    };
    const collect = (reading: typeof read & {}) => {
      gauge.reset();
      zero();
      const value = reading((labels, set) => gauge.set(labels, set));
      if (typeof value === 'number') gauge.set(value);
    };
    zero();
    return gauge;
  }

  /** Shows how values, mostly seconds, are distributed. */
  histogram<const L extends Labels>(
    options: Description & Labelled<L> & Buckets,
  ): LabelledHistogram<LabelSet<L>>;
  histogram(options: Description & Buckets): Histogram;
  histogram(
    options: Description & Partial<Labelled<Labels>> & Buckets,
  ): Histogram | LabelledHistogram<LabelSet<Labels>> {
    const histogram = new prometheus.Histogram({
      ...this.#configuration(options),
      ...(options.buckets !== undefined && { buckets: [...options.buckets] }),
    });
    for (const set of seriesOf(options)) histogram.zero(set);
    return histogram;
  }

  #configuration({ name, help, labels = {} }: Description & Partial<Labelled<Labels>>) {
    return {
      name: this.#prefix + name,
      help,
      labelNames: Object.keys(labels),
      registers: [this.registry],
    };
  }
}

/** The series that exist from the start; none where there are no labels, for prom-client makes that one. */
function seriesOf({ labels, only }: Partial<Labelled<Labels>>): readonly LabelSet<Labels>[] {
  return only ?? (labels === undefined ? [] : combinations(labels));
}
