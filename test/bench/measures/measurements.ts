// What can be measured, by the names of the command line.

import type { BenchOptions, MeasureName } from '../options.js';
import { measureBare } from './bare.js';
import { measureGrowth } from './growth.js';
import { measureHelper } from './helper.js';
import { measureOverload } from './overload.js';
import { measureProvision } from './provision.js';
import { measureRegistry } from './registry.js';
import { measureSubscribers } from './subscribers.js';
import { measureWatch } from './watch.js';

/** @param folder gives a new folder below that of this bench. @param say tells people how far it is */
export type Measure = (
  options: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
) => Promise<object>;

export const measurements: Readonly<Record<MeasureName, Measure>> = {
  bare: measureBare,
  provision: measureProvision,
  helper: measureHelper,
  watch: measureWatch,
  subscribers: measureSubscribers,
  registry: measureRegistry,
  growth: measureGrowth,
  overload: measureOverload,
};
