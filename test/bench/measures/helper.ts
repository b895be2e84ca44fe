// Helpers as the provisioner runs them, as a ratio of the same programs without it, and with a provisioner's memory as a
// ratio of without: rounds of all, in turns.

import { type HelperKind, helperKinds, modeOf } from '../fleet/helper.js';
import { Costs, descendantsOf } from '../measure/processes.js';
import { Program } from '../measure/program.js';
import type { BenchOptions } from '../options.js';
import type { Asked, AsksPlan } from '../programs/helper-asks.js';
import { median, rounded } from '../statistics.js';

export interface HelperFigures {
  readonly helper: HelperKind;
  /** Asks a second, as the provisioner runs it and alone: medians. */
  readonly perSecond: { readonly product: number; readonly alone: number };
  readonly ratio: number;
  /** Of whoever asks and of all that it starts: milliseconds for each ask, medians. */
  readonly cpuMs: { readonly product: number; readonly alone: number };
  /** Of the provisioner's own side. */
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  /** The provisioner's own side once more, with so much memory held by whoever asks; its ratio is to that without. */
  readonly laden?: {
    readonly ballastMiB: number;
    readonly perSecond: number;
    readonly ratio: number;
    readonly cpuMs: number;
  };
}

/** More than a provisioner of 50,000 nodes holds. What forks pays for its own memory each time. */
const ballastMiB = 600;

/** How often each is asked: about as long for all of them. */
const asks: Readonly<Record<HelperKind, number>> = {
  'exec-sh': 1_000,
  'exec-python': 200,
  'exec-node': 100,
  'persistent-sh': 10_000,
  'persistent-python': 10_000,
  'persistent-node': 10_000,
};

export async function measureHelper(
  { rounds }: BenchOptions,
  _folder: () => string,
  say: (text: string) => void,
): Promise<{ readonly sizes: readonly HelperFigures[] }> {
  const measured: HelperFigures[] = [];
  for (const helper of helperKinds) {
    const done: Rounds[] = [];
    for (let round = 1; round <= rounds; round++) done.push(await turn(helper));
    const of = (side: 'alone' | 'product', figure: (asked: Round) => number) =>
      rounded(median(done.map((each) => figure(each[side]))));
    const figures: HelperFigures = {
      helper,
      perSecond: {
        product: of('product', ({ perSecond }) => perSecond),
        alone: of('alone', ({ perSecond }) => perSecond),
      },
      ratio: rounded(median(done.map(({ alone, product }) => product.perSecond / alone.perSecond))),
      cpuMs: { product: of('product', ({ cpuMs }) => cpuMs), alone: of('alone', ({ cpuMs }) => cpuMs) },
      latencyMs: { p50: of('product', ({ p50 }) => p50), p99: of('product', ({ p99 }) => p99) },
      ...ladenOf(done),
    };
    measured.push(figures);
    say(lineOf(figures));
  }
  return { sizes: measured };
}

interface Round extends Omit<Asked, 'seconds'> {
  readonly perSecond: number;
  readonly cpuMs: number;
}

interface Rounds {
  readonly alone: Round;
  readonly product: Round;
  /** Of helpers that are started for each node: those that stay are not started again. */
  readonly laden: Round | undefined;
}

async function turn(helper: HelperKind): Promise<Rounds> {
  const plan = { helper, asks: asks[helper], ballastMiB: 0 } as const;
  return {
    alone: await ask({ ...plan, side: 'alone' }),
    product: await ask({ ...plan, side: 'product' }),
    laden: modeOf(helper) === 'exec' ? await ask({ ...plan, side: 'product', ballastMiB }) : undefined,
  };
}

function ladenOf(rounds: readonly Rounds[]): Pick<HelperFigures, 'laden'> {
  const done = rounds.flatMap(({ laden, product }) => (laden === undefined ? [] : { ...laden, product }));
  if (done.length === 0) return {};
  const of = (figure: (each: (typeof done)[number]) => number) => rounded(median(done.map(figure)));
  return {
    laden: {
      ballastMiB: of((laden) => laden.ballastMiB),
      perSecond: of(({ perSecond }) => perSecond),
      ratio: of(({ perSecond, product }) => perSecond / product.perSecond),
      cpuMs: of(({ cpuMs }) => cpuMs),
    },
  };
}

function lineOf({ helper, perSecond, ratio, laden }: HelperFigures): string {
  const line = `${helper}: ${perSecond.product} a second, alone ${perSecond.alone}, ratio ${ratio}`;
  if (laden === undefined) return line;
  return `${line}; with ${laden.ballastMiB} MiB held ${laden.perSecond}, ratio ${laden.ratio}`;
}

async function ask(plan: AsksPlan): Promise<Round> {
  const program = new Program('bench/programs/helper-asks.ts', [JSON.stringify(plan)]);
  try {
    await program.line();
    const costs = new Costs({ all: () => [program.pid, ...descendantsOf(program.pid)] });
    program.say('');
    const { seconds, ...asked } = await program.json<Asked>();
    return { perSecond: plan.asks / seconds, cpuMs: (costs.now.all?.cpuMs ?? 0) / plan.asks, ...asked };
  } finally {
    program.kill();
  }
}
