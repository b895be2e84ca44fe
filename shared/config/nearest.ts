// The name that was probably meant. A suggestion that is far off is worse than none.

/** Mistakes in one name, however long it is, beyond which it is another name. */
const mostMistakes = 5;

/**
 * The candidate nearest to `name`, without regard to case and to which of `.`, `-` and `_` separates words. A
 * mistake is a letter too much, too few or wrong, or two neighbours that changed places.
 *
 * @returns undefined where none is near: one mistake is allowed in a short name, two in one of six letters, and
 * one in four letters of a longer one
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let fewest = mistakesAllowed(wanted.length) + 1;
  for (const candidate of candidates) {
    const mistakes = distance(wanted, fold(candidate), fewest);
    if (mistakes < fewest) {
      best = candidate;
      fewest = mistakes;
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

function mistakesAllowed(length: number): number {
  return length < 6 ? 1 : Math.min(Math.max(Math.floor(length / 4), 2), mostMistakes);
}

/** Optimal string alignment distance; `limit` where it is that or more. */
function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          (last[column] ?? limit) + 1,
          (current[column - 1] ?? limit) + 1,
          (last[column - 1] ?? limit) + (same ? 0 : 1),
          swapped ? (beforeLast[column - 2] ?? limit) + 1 : limit,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? limit;
}
