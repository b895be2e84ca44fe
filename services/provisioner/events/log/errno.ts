// The system's number in an error: LMDB has it as a code, Node, below 0, beside a word, of which it has none for some.

/** @returns undefined where the error is not of the system */
export function errnoOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errno' in error && typeof error.errno === 'number') return Math.abs(error.errno);
  if ('code' in error && typeof error.code === 'number' && error.code > 0) return error.code;
  return undefined;
}
