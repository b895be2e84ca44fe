// Helpers as the provisioner runs them, as a ratio of the same programs without it: rounds of both, in turns.

import { type HelperKind, helperKinds } from '../fleet/helper.js';
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
}

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
    const done: (readonly [alone: Round, product: Round])[] = [];
    for (let round = 1; round <= rounds; round++) {
      done.push([
        await ask({ side: 'alone', helper, asks: asks[helper] }),
        await ask({ side: 'product', helper, asks: asks[helper] }),
      ]);
    }
    const of = (side: 0 | 1, figure: (round: Round) => number) =>
      rounded(median(done.map((each) => figure(each[side]))));
    const figures: HelperFigures = {
      helper,
      perSecond: { product: of(1, ({ perSecond }) => perSecond), alone: of(0, ({ perSecond }) => perSecond) },
      ratio: rounded(median(done.map(([alone, product]) => product.perSecond / alone.perSecond))),
      cpuMs: { product: of(1, ({ cpuMs }) => cpuMs), alone: of(0, ({ cpuMs }) => cpuMs) },
      latencyMs: { p50: of(1, ({ p50 }) => p50), p99: of(1, ({ p99 }) => p99) },
    };
    measured.push(figures);
    say(
      `${helper}: ${figures.perSecond.product} a second, alone ${figures.perSecond.alone}, ratio ${figures.ratio}`,
    );
  }
  return { sizes: measured };
}

interface Round extends Omit<Asked, 'seconds'> {
  readonly perSecond: number;
  readonly cpuMs: number;
}

async function ask(plan: AsksPlan): Promise<Round> {
  const program = new Program('bench/programs/helper-asks.ts', [JSON.stringify(plan)]);
  try {
    await program.line();
    const costs = new Costs({ all: () => [program.pid, ...descendantsOf(program.pid)] });
    program.say('');
    const { seconds, p50, p99 } = await program.json<Asked>();
    return { perSecond: plan.asks / seconds, cpuMs: (costs.now.all?.cpuMs ?? 0) / plan.asks, p50, p99 };
  } finally {
    program.kill();
  }
}
