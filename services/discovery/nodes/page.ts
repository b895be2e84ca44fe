// Pages of a list that is kept in no order: each page is picked out anew, so that it does not matter what came
// and went since the page before.

/** What is listed. */
interface Named {
  readonly identity: string;
}

export interface Page<T> {
  /** Ordered by identity. */
  readonly items: readonly T[];
  /** Whether there are more. */
  readonly more: boolean;
}

/**
 * The first `size` items, by identity, of those after `after`. One walk over all items, whatever the size.
 *
 * @param after an identity, whether it is there or not; empty for the first page
 */
export function pageOf<T extends Named>(items: Iterable<T>, after: string, size: number): Page<T> {
  const wanted = size + 1;
  let kept: T[] = [];
  let bound: string | undefined;
  for (const item of items) {
    if (item.identity <= after || (bound !== undefined && item.identity >= bound)) continue;
    kept.push(item);
    if (kept.length < 2 * wanted) continue;
    kept = smallest(kept, wanted);
    bound = kept.at(-1)?.identity;
  }
  kept = smallest(kept, wanted);
  return { items: kept.slice(0, size), more: kept.length > size };
}

function smallest<T extends Named>(items: T[], count: number): T[] {
  items.sort((left, right) => (left.identity < right.identity ? -1 : left.identity > right.identity ? 1 : 0));
  return items.slice(0, count);
}
