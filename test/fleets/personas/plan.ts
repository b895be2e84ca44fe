// What befalls the services, and when: decided before anything starts, from sizes and randomness alone.

import type { ServiceName } from '../../../cli/launch/project.js';
import type { Random } from '../../../shared/random.js';
import { between } from './seeded.js';

export type Disruption = {
  /** Milliseconds after the beginning. */
  readonly atMs: number;
  /** How long the service is down, stands still, or does nothing: milliseconds. */
  readonly forMs: number;
} & (
  | { readonly kind: 'KILL' | 'STALL'; readonly service: ServiceName }
  /** An operator pauses the provisioner. */
  | { readonly kind: 'PAUSE' }
);

type Wish = {
  readonly times: number;
  /** Parts of the time in which it is done. */
  readonly within: readonly [number, number];
  readonly forMs: readonly [number, number];
} & ({ readonly kind: 'KILL' | 'STALL'; readonly service: ServiceName } | { readonly kind: 'PAUSE' });

/** The swarm comes up for half of the time after each kill, so that there are new nodes until the end. */
export const swarmStartPart = 0.5;

/**
 * Each service is killed several times and stands still once, and an operator pauses twice; where there is less than
 * two minutes for it, half as often.
 *
 * @param durationMs how long it may take
 * @returns what is done, in order
 */
export function planOf(random: Random, durationMs: number): Disruption[] {
  const often = durationMs < 120_000 ? 1 : 2;
  const down: Wish['forMs'] = [0, 3_000];
  const still: Wish['forMs'] = [2_000, 8_000];
  const wishes: Wish[] = [
    { kind: 'KILL', service: 'discovery', times: 1 + often, within: [0.05, 0.9], forMs: down },
    { kind: 'KILL', service: 'provisioner', times: 1 + often, within: [0.05, 0.9], forMs: down },
    { kind: 'KILL', service: 'mock-node', times: 1 + often, within: [0.1, swarmStartPart], forMs: down },
    { kind: 'STALL', service: 'discovery', times: 1, within: [0.1, 0.95], forMs: still },
    { kind: 'STALL', service: 'provisioner', times: 1, within: [0.1, 0.95], forMs: still },
    { kind: 'STALL', service: 'mock-node', times: 1, within: [0.1, 0.95], forMs: still },
    { kind: 'PAUSE', times: often, within: [0.1, 0.9], forMs: [4_000, 12_000] },
  ];
  return wishes
    .flatMap(({ times, within: [from, to], forMs, ...what }) =>
      Array.from({ length: times }, () => ({
        ...what,
        atMs: between(random, from, to) * durationMs,
        forMs: between(random, ...forMs),
      })),
    )
    .sort((one, other) => one.atMs - other.atMs);
}
