// Randomness that can be had again.

import type { Random } from '../../../shared/random.js';

/** @returns numbers in [0, 1), the same for the same seed (mulberry32) */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns a number from `least` on and below `most` */
export function between(random: Random, least: number, most: number): number {
  return least + random() * (most - least);
}

/** @returns one of them */
export function oneOf<T>(random: Random, [first, ...others]: readonly [T, ...T[]]): T {
  return [first, ...others][Math.floor(random() * (others.length + 1))] ?? first;
}
