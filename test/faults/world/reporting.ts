// A node's reports on their way to discovery, with the faults of that way: they are lost, come twice, or come late,
// when the node has given up on them or is gone.

import { status } from '@grpc/grpc-js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { WorldDiscovery } from './discovery.js';
import { type CallFaults, type Faults, never } from './faults.js';

export interface ReportingOptions {
  readonly clock: Clock;
  readonly faults: Faults;
  /** @returns the discovery that runs now; undefined while it is down */
  readonly discovery: () => WorldDiscovery | undefined;
}

type Said = Parameters<WorldDiscovery['report']>;

/** How long a node waits for a reply: milliseconds. */
const timeoutMs = 5_000;

/**
 * Makes one attempt.
 *
 * @returns milliseconds until the next report
 * @throws RpcError
 */
export function reportOver(options: ReportingOptions, identity: string, ...said: Said): Promise<number> {
  return new Promise((resolve, reject) => {
    const tooLate = () => reject(new RpcError(status.DEADLINE_EXCEEDED, 'Deadline exceeded'));
    const timer = options.clock.setTimer(timeoutMs, tooLate);
    deliver(options, options.faults.take(identity, 'Report'), said)
      .then(resolve, reject)
      .finally(() => timer.cancel());
  });
}

async function deliver(
  { clock, discovery }: ReportingOptions,
  faults: CallFaults,
  said: Said,
): Promise<number> {
  await faults.happens('ARRIVES');
  if (faults.delayMs > 0) await sleep(clock, faults.delayMs);
  if (faults.has('HANG')) return await never();
  if (faults.has('LOSE_REQUEST')) throw dropped();
  const service = discovery();
  if (service === undefined) {
    throw new RpcError(status.UNAVAILABLE, 'No connection established', { neverConnected: true });
  }
  if (faults.has('DUPLICATE')) await service.report(...said);
  const nextReportMs = await service.report(...said);
  await faults.happens('DONE');
  if (faults.has('LOSE_REPLY')) throw dropped();
  if (faults.has('HANG_AFTER')) return await never();
  await faults.happens('ANSWERED');
  return nextReportMs;
}

function dropped(): RpcError {
  return new RpcError(status.UNAVAILABLE, 'Connection dropped');
}
