// The names and addresses that a certificate is for.

import { isIP } from 'node:net';
import { unmapIp } from '../../shared/net/addresses.js';

export interface Host {
  readonly kind: 'DNS' | 'IP';
  readonly name: string;
}

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** @returns undefined where the text is neither a host name nor an IP address */
export function parseHost(text: string): Host | undefined {
  // A certificate has no room for the zone of a link-local address.
  if (isIP(text) !== 0) return text.includes('%') ? undefined : { kind: 'IP', name: unmapIp(text) };
  const name = text.toLowerCase();
  // A name that ends with a number would be an address.
  if (name.length > 253 || /(^|\.)\d+$/.test(name)) return undefined;
  return name.split('.').every((part) => label.test(part)) ? { kind: 'DNS', name } : undefined;
}
