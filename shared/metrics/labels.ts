// Labels of metrics and the values that they are known to take, so that every series exists, at zero, before
// something happens: a rate over a series that appears with its first event misses that event.

/** Per label, its known values. A label whose values are not known beforehand has {@link anyValue}. */
export type Labels = Readonly<Record<string, readonly string[]>>;

/** One value for each label. */
export type LabelSet<L extends Labels> = { readonly [Name in keyof L]: L[Name][number] };

/** For a label whose values are not known beforehand: its series exist once they were set. */
export const anyValue: readonly string[] = [];

/** All combinations of the values; none where a label's values are not known. */
export function combinations<L extends Labels>(labels: L): LabelSet<L>[] {
  const sets = Object.entries(labels).reduce<Record<string, string>[]>(
    (partial, [name, values]) => partial.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
  return sets as LabelSet<L>[];
}
