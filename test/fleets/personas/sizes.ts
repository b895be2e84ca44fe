// How large the long run is, how long, and what its randomness starts from: the environment says.

export interface Sizes {
  readonly nodes: number;
  /** Faults and kills take four fifths of it; in the last, everything comes to rest. */
  readonly minutes: number;
  /** The same seed gives the same faults and kills at the same times; what becomes of them is the machine's matter. */
  readonly seed: number;
}

const defaults = { nodes: 5_000, minutes: 10 };

/**
 * @param env PERSONAS_NODES, PERSONAS_MINUTES and PERSONAS_SEED; without a seed, a random one
 * @throws Error that names the variable that is no positive number
 */
export function sizesOf(env: Readonly<Record<string, string | undefined>>): Sizes {
  const read = (name: string, otherwise: number) => {
    const value = Number(env[name] ?? otherwise);
    if (!(value > 0)) throw new Error(`${name}: expected a number above 0, got ${env[name]}`);
    return value;
  };
  return {
    nodes: read('PERSONAS_NODES', defaults.nodes),
    minutes: read('PERSONAS_MINUTES', defaults.minutes),
    seed: read('PERSONAS_SEED', 1 + Math.floor(Math.random() * 999_999)),
  };
}
