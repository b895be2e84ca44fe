// GetInventory: facts about the node, for the helper. What an earlier run fetched from the same boot serves
// as long as it is young.

import { inventoryServesIntervals } from '../inventory.js';
import { asCaller, callNode } from '../rpc.js';
import { keep, type RunContext, type StepResult } from '../run-context.js';

export async function getInventory(run: RunContext, tries: number): Promise<StepResult> {
  const held = run.fetched?.inventory;
  const servesMs = inventoryServesIntervals * run.intervalMs();
  if (held !== undefined && run.clock.monotonic() - held.fetchedAt < servesMs) {
    run.inventory = held.value;
    return { kind: 'SKIPPED' };
  }
  const result = await callNode(run, {
    step: 'GET_INVENTORY',
    tries,
    timeoutMs: run.settings.rpcTimeoutMs,
    fenced: true,
    attempt: asCaller(run, (caller, limits) => run.agent.getInventory(caller, limits)),
  });
  if (result.kind !== 'REPLY') return result;
  run.inventory = result.value;
  keep(run, { inventory: { value: result.value, fetchedAt: run.clock.monotonic() } });
  return { kind: 'COMPLETED', tries: result.tries };
}
