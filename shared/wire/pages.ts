// Pages of lists, as every RPC that lists has them (design, section 10): how many items one has, how much, and how a
// token names the place where the next one begins. What is listed, and in which order, is the caller's matter.

/** The most items of a page. */
export const largestPage = 1000;

const usualPage = 100;

/** The most bytes of items on a page, unless a single one has more: gRPC clients take messages of 4 MiB by default. */
const mostBytes = 1 << 20;

const tokenStart = 'after:';

/**
 * How many items a page has: 100 where 0 is asked for, and never more than 1,000.
 *
 * @returns undefined where fewer than none are asked for
 */
export function pageSizeOf(asked: number): number | undefined {
  if (asked < 0) return undefined;
  return asked === 0 ? usualPage : Math.min(asked, largestPage);
}

/** What to tell who asks for a page of less than nothing. */
export const pageSizeProblem = `expected a number from 0 to ${largestPage}`;

/** @returns the token of the page that begins behind the item of that name */
export function tokenAfter(name: string): string {
  return Buffer.from(`${tokenStart}${name}`).toString('base64url');
}

/** @returns the name behind which the page begins, empty for the first page; undefined where it is no token */
export function nameBefore(token: string): string | undefined {
  if (token === '') return '';
  const text = Buffer.from(token, 'base64url').toString();
  return text.startsWith(tokenStart) ? text.slice(tokenStart.length) : undefined;
}

/**
 * How many of the items, from the first on, fit into one message.
 *
 * @param bytesOf how many bytes an item has there
 * @returns at least 1 where there is one
 */
export function fitting<T>(items: readonly T[], bytesOf: (item: T) => number): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += bytesOf(item);
    if (bytes > mostBytes && index > 0) return index;
  }
  return items.length;
}
