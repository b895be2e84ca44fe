// How the nodes of a swarm are called and where each is reached.

import { type Identity, parseIdentity } from '../../../shared/identity.js';

/** Nodes that loopback addresses can tell apart: 127.1.0.1 to 127.255.255.254, without .0 and .255. */
export const mostLoopbackNodes = 255 * 256 * 254;

const shortestNumber = 5;

/**
 * @param base names the whole swarm: the number goes after its first label
 * @param index from 0
 * @param persona goes after the number where it is given
 * @returns `node-00001.swarm.local` for index 0 of `node.swarm.local`; undefined where that is too long
 */
export function identityOf(base: string, index: number, persona = ''): Identity | undefined {
  const dot = base.indexOf('.');
  const label = dot === -1 ? base : base.slice(0, dot);
  const domain = dot === -1 ? '' : base.slice(dot);
  const number = String(index + 1).padStart(shortestNumber, '0');
  return parseIdentity(`${label}-${number}${persona && `-${persona}`}${domain}`);
}

/** @returns the loopback address of the node of this index, from 0: 127.1.0.1 and up */
export function loopbackHost(index: number): string {
  const block = Math.floor(index / 254);
  return `127.${1 + (block >> 8)}.${block & 255}.${1 + (index % 254)}`;
}

/** @returns the index of the node with this loopback address; undefined where it is no node's */
export function loopbackIndex(host: string): number | undefined {
  const match = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
  if (match === null) return undefined;
  const [a, b, c] = match.slice(1).map(Number);
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const index = (((a - 1) << 8) | b) * 254 + c - 1;
  return index >= 0 && loopbackHost(index) === host ? index : undefined;
}
