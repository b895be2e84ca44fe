// Lists that come in pages.

import { largestPage } from '../../shared/wire/pages.js';

/** The most that a service gives at once. */
export const pageSize = largestPage;

/** Gives the pages of a list one after the other. @param fetch gets the page of a token; empty for the first */
export async function* pagesOf<P extends { readonly nextPageToken: string }>(
  fetch: (pageToken: string) => Promise<P>,
): AsyncGenerator<P> {
  let pageToken = '';
  do {
    const page = await fetch(pageToken);
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
