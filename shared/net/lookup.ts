// The machine's own resolver.

import { lookup } from 'node:dns/promises';

/** All addresses of a host name, in the resolver's order. */
export async function systemLookup(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}
