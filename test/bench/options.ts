// The benchmarks' command line.

import { parseArgs } from 'node:util';
import { parseWeights } from '../../services/mock-node/personas/weights.js';
import { durationMs } from '../../shared/durations.js';
import { UsageError, usageErrorOf } from './command-line.js';
import { type HelperKind, helperKinds } from './fleet/helper.js';

export const measureNames = [
  'bare',
  'provision',
  'helper',
  'watch',
  'subscribers',
  'registry',
  'growth',
  'overload',
] as const;

export type MeasureName = (typeof measureNames)[number];

/** What a fleet is like, on both sides that are compared. */
export interface FleetOptions {
  readonly nodes: number;
  /** All nodes start within it: milliseconds. */
  readonly withinMs: number;
  /** Nodes that are worked on at once. */
  readonly workers: number;
  readonly helper: HelperKind;
  readonly tls: boolean;
  readonly features: { readonly jwt: boolean; readonly ed25519: boolean };
}

export interface BenchOptions {
  readonly measure: MeasureName;
  readonly fleet: FleetOptions;
  /** As the mock node's flag has it; undefined: all nodes are healthy. */
  readonly personas: string | undefined;
  /** How often each side is measured. */
  readonly rounds: number;
  /** How long a service is away, and how long a fleet is looked at once it is known: milliseconds. */
  readonly outageMs: number;
  readonly steadyMs: number;
  /** Of fleets or crowds, one after the other; empty: those that the measure has by default. */
  readonly sizes: readonly number[];
  /** One JSON object on standard output, all else on standard error. */
  readonly json: boolean;
  /** The folder with configuration, logs and data stays. */
  readonly keep: boolean;
}

export const usage = `usage: npm run bench -- MEASURE [options]

  bare         grpc-js alone makes the calls of a run on each node of a swarm
  provision    discovery and provisioner on such a swarm, alternating with bare
  helper       helpers as the provisioner runs them, alternating with the same programs alone,
               and with 600 MiB held by whoever asks
  watch        events to 1, 10, 100 and 500 subscribers, a tenth of which never read; then subscribers
  subscribers  provision without and with 100 subscribers, a tenth of which never read, in turns
  registry     reports that discovery takes, and its memory, with 1000, 10000 and 50000 nodes
  growth       provision alone with 1000, 5000, 20000 and 50000 nodes
  overload     nodes that all report at once, and again after discovery and provisioner were away

  --nodes N            nodes of the swarm (3000)
  --within DURATION    all of them start within it (1s)
  --workers N          nodes that are worked on at once (64)
  --helper KIND        ${helperKinds.join(', ')} (exec-sh)
  --tls MODE           required or insecure (required)
  --features LIST      none, or of jwt and ed25519, with commas between them (none)
  --personas LIST      as the mock node's flag, for provision, which is then measured without bare
  --rounds N           how often each side is measured; the median counts (3)
  --outage DURATION    how long discovery, and then the provisioner, is away, for overload (30s)
  --steady DURATION    how long overload looks at a fleet that is known (30s)
  --sizes LIST         numbers of nodes or subscribers, for watch, subscribers, registry and growth
  --json               prints one JSON object on standard output, and all else on standard error
  --keep               keeps the folder with configuration, logs and data
  --help               prints this
`;

/**
 * @param args the arguments after the program's name
 * @returns undefined where --help was asked for
 * @throws UsageError
 */
export function parseBenchOptions(args: readonly string[]): BenchOptions | undefined {
  const { values, positionals } = read(args);
  if (values.help) return undefined;
  const problems: string[] = [];
  const take = <T>(what: string, value: T | undefined, expected: string, otherwise: T): T => {
    if (value === undefined) problems.push(`${what}: expected ${expected}`);
    return value ?? otherwise;
  };
  const number = (flag: 'nodes' | 'workers' | 'rounds', most: number) =>
    take(`--${flag} ${values[flag]}`, countOf(values[flag], most), `a whole number from 1 to ${most}`, 1);
  const span = (flag: 'within' | 'outage' | 'steady') => {
    const text = values[flag] ?? '30s';
    return take(`--${flag} ${text}`, spanOf(text), 'a duration such as 1s', 0);
  };

  const measure = measureNames.find((name) => name === positionals[0]);
  if (positionals.length > 1)
    problems.push(`${positionals.slice(1).join(' ')}: only one measure is expected`);
  const features = values.features === 'none' ? [] : values.features.split(',');
  if (features.some((name) => name !== 'jwt' && name !== 'ed25519')) {
    problems.push(`--features ${values.features}: expected none, or of jwt and ed25519`);
  }
  if (values.tls !== 'required' && values.tls !== 'insecure') {
    problems.push(`--tls ${values.tls}: expected required or insecure`);
  }
  const sizes =
    values.sizes === undefined ? [] : values.sizes.split(',').map((text) => countOf(text, 200_000));
  if (sizes.includes(undefined)) problems.push(`--sizes ${values.sizes}: expected numbers from 1 to 200000`);
  if (measure !== undefined) problems.push(...without(measure, values));
  if (values.personas !== undefined) problems.push(...problemOfPersonas(values.personas));
  const helper = helperKinds.find((kind) => kind === values.helper);
  const options: BenchOptions = {
    measure: take(positionals[0] ?? 'the measure', measure, `one of ${measureNames.join(', ')}`, 'bare'),
    fleet: {
      nodes: number('nodes', 200_000),
      withinMs: span('within'),
      workers: number('workers', 10_000),
      helper: take(`--helper ${values.helper}`, helper, `one of ${helperKinds.join(', ')}`, 'exec-sh'),
      tls: values.tls === 'required',
      // The one turns the other on, as in the provisioner.
      features: { jwt: features.length > 0, ed25519: features.includes('ed25519') },
    },
    personas: values.personas,
    rounds: number('rounds', 100),
    outageMs: span('outage'),
    steadyMs: span('steady'),
    sizes: sizes.flatMap((size) => size ?? []),
    json: values.json,
    keep: values.keep,
  };
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return options;
}

/** What some measures alone go by: what the others would go without looking at is said. */
const measuresOf: Readonly<Record<'sizes' | 'outage' | 'steady' | 'personas', readonly MeasureName[]>> = {
  sizes: ['watch', 'subscribers', 'registry', 'growth'],
  outage: ['overload'],
  steady: ['overload'],
  personas: ['provision'],
};

function without(measure: MeasureName, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(measuresOf).flatMap(([flag, measures]) =>
    values[flag] === undefined || measures.includes(measure)
      ? []
      : [`--${flag}: ${measure} has no such option, but ${measures.join(', ')}`],
  );
}

function problemOfPersonas(text: string): string[] {
  try {
    parseWeights(text);
    return [];
  } catch (error) {
    return [`--personas ${error instanceof Error ? error.message : String(error)}`];
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        nodes: { type: 'string', default: '3000' },
        within: { type: 'string', default: '1s' },
        workers: { type: 'string', default: '64' },
        helper: { type: 'string', default: 'exec-sh' },
        tls: { type: 'string', default: 'required' },
        features: { type: 'string', default: 'none' },
        personas: { type: 'string' },
        rounds: { type: 'string', default: '3' },
        outage: { type: 'string' },
        steady: { type: 'string' },
        sizes: { type: 'string' },
        json: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

function countOf(text: string, most: number): number | undefined {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= most ? count : undefined;
}

function spanOf(text: string): number | undefined {
  try {
    return Math.max(0, durationMs(text));
  } catch {
    return undefined;
  }
}
