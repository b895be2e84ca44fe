// The name that was probably meant. A suggestion that is far off is worse than none.

import { distance } from 'fastest-levenshtein';

/**
 * The candidate nearest to `name`, without regard to case and to which of `.`, `-` and `_` separates words.
 *
 * @returns undefined where none is near: about one letter in three may differ
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const apart = distance(wanted, fold(candidate));
    if (apart < bestDistance) {
      best = candidate;
      bestDistance = apart;
    }
  }
  return best;
}

/** `; did you mean x?` or nothing, to end a sentence with. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const found = nearest(name, candidates);
  return found === undefined ? '' : `; did you mean ${found}?`;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[.-]/g, '_');
}
