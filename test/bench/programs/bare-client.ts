// grpc-js alone makes the calls of a run on each node that reports: bare-client.ts PLAN. What it is told of nodes comes
// from a registry that does nothing else. It says READY, and in the end what it has done, as JSON.

import type { HelperKind } from '../fleet/helper.js';
import { bareCalls, type CallsPlan, type ReportedNode } from '../sides/bare/calls.js';
import { BareHelper } from '../sides/bare/helper.js';
import { Registry } from '../sides/bare/registry.js';
import type { RegistryPlan } from './bare-registry.js';

export interface ClientPlan {
  readonly nodes: number;
  readonly workers: number;
  readonly registry: RegistryPlan;
  readonly calls: CallsPlan;
  /** Is run once for each node; undefined: none is. */
  readonly helper: HelperKind | undefined;
}

/** Times are Unix milliseconds. */
export interface Done {
  readonly firstDial: number;
  /** The last node has accepted Restart. */
  readonly lastRestart: number;
  /** The last node has reported that it came up configured. */
  readonly lastInService: number;
  /** From the first report of a node to when it came up configured: milliseconds, one for each. */
  readonly latenciesMs: readonly number[];
}

if (process.argv.length > 2) await start(JSON.parse(process.argv[2] ?? ''));

async function start(plan: ClientPlan): Promise<void> {
  process.stdin.resume().on('end', () => process.exit());
  const registry = new Registry(plan.registry);
  await registry.ready;
  const helper = plan.helper === undefined ? undefined : new BareHelper(plan.helper);
  await helper?.ready;
  const perform = bareCalls(plan.calls, async (input) => void (await helper?.run(input)));
  process.stdout.write(`READY ${registry.pid} ${helper?.pid ?? ''}\n`);

  let firstDial = 0;
  const worker = async () => {
    for (;;) {
      const node: ReportedNode | undefined = await registry.next();
      if (node === undefined) return;
      firstDial ||= Date.now();
      await perform(node);
      if (++finished === plan.nodes) registry.end();
    }
  };
  let finished = 0;
  await Promise.all(Array.from({ length: plan.workers }, worker));
  const lastRestart = Date.now();
  const { lastInService, latenciesMs } = await registry.inService(plan.nodes);
  const done: Done = { firstDial, lastRestart, lastInService, latenciesMs };
  process.stdout.write(`${JSON.stringify(done)}\n`);
}
