// The steady coming and going of nodes: one rack after the other comes, reboots and leaves, each at its time.

import { type Clock, sleep } from '../../../shared/clock.js';
import type { Plan } from '../plan.js';

export interface NodesTogether {
  come(): Promise<void>;
  reboot(): Promise<void>;
  leave(): Promise<void>;
}

/**
 * Resolves when all have left.
 *
 * @param open gives the rack of a number, from 1
 * @param signal whoever is there then leaves at once
 * @throws what the first that fails throws; the signal's reason
 */
export async function arrivals(
  plan: Pick<Plan, 'spanMs' | 'racks' | 'rebootAfterMs' | 'leaveAfterMs'>,
  open: (number: number) => NodesTogether,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const began = clock.monotonic();
  const untilMs = (ms: number) => sleep(clock, Math.max(0, began + ms - clock.monotonic()), signal);
  const life = async (number: number) => {
    const from = (number - 1) * plan.spanMs;
    await untilMs(from);
    const rack = open(number);
    try {
      await rack.come();
      await untilMs(from + plan.rebootAfterMs);
      await rack.reboot();
      await untilMs(from + plan.leaveAfterMs);
    } finally {
      await rack.leave();
    }
  };
  await Promise.all(Array.from({ length: plan.racks }, (_, index) => life(index + 1)));
}
