// Events and gaps that follow a place in the log. What was removed is a gap as well.

import type { LogItem } from '../watch/log-reader.js';
import { firstOf } from './record.js';
import type { LogStore } from './store.js';

export interface Wanted {
  /** Number of the event that they come after. */
  readonly after: number;
  readonly max: number;
  /** The oldest that is not removed. */
  readonly first: number;
  /** The last that readers may see. */
  readonly last: number;
}

/** @throws RecordError where the log is damaged */
export function readItems(store: Pick<LogStore, 'read'>, { after, max, first, last }: Wanted): LogItem[] {
  if (after >= last || max < 1) return [];
  const items = store
    .read(Math.max(after + 1, first), max)
    .map(({ item }) => item)
    .filter((item) => firstOf(item) <= last);
  const [oldest] = items;
  const next = oldest === undefined ? last + 1 : firstOf(oldest);
  if (next <= after + 1) return items;
  return [{ kind: 'GAP', first: after + 1, last: next - 1, reason: 'RETENTION' } as const, ...items].slice(
    0,
    max,
  );
}
