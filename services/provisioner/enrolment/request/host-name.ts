// What counts as a host name in a certificate request.

import { isIPv4 } from 'node:net';

const longest = 253;
/** Letters, digits and hyphens (RFC 1123), and underscores, which identities have too. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/**
 * Whether a text is a host name: labels of up to 63 letters, digits, hyphens and underscores, 253 characters in
 * all, with or without a dot at the end. Wildcards and addresses are none.
 */
export function isHostName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return name.length <= longest && name.split('.').every((part) => label.test(part)) && !isIPv4(name);
}
