// Lists that come in pages, taken as one.

import { largestPage } from '../../shared/wire/pages.js';

/** The most that a service gives at once. */
export const pageSize = largestPage;

/** @param fetch gets one page, and the token of the next; empty for none */
export async function allPages<T>(
  fetch: (pageToken: string) => Promise<{ readonly items: readonly T[]; readonly nextPageToken: string }>,
): Promise<T[]> {
  const all: T[] = [];
  let pageToken = '';
  do {
    const page = await fetch(pageToken);
    for (const item of page.items) all.push(item);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return all;
}
