// Randomness as an argument: domain code takes a Random, so that a test can say what comes.

/** Gives a number in [0, 1). Not for secrets. */
export type Random = () => number;

/** The machine's own randomness. */
export const systemRandom: Random = () => Math.random();
