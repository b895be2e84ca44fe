// Which addresses may be dialled. What a node reports is a claim: without this, whoever can report could
// point Slipway at anything that it can reach (design, section 4).

import type ipaddr from 'ipaddr.js';
import { AddressError, formatHostPort, type HostPort, parseHostPort, parseIp } from './addresses.js';

/** A range of IP addresses. */
export type Cidr = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/**
 * Reads a network, as in `10.0.0.0/8`; an address alone stands for itself.
 *
 * @throws AddressError
 */
export function parseCidr(text: string): Cidr {
  const [, host = '', bitsText] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseIp(host);
  const most = address?.kind() === 'ipv4' ? 32 : 128;
  const bits = bitsText === undefined ? most : Number(bitsText);
  if (address === undefined || bits > most) {
    throw new AddressError(`${JSON.stringify(text)} is no network: write it as in 10.0.0.0/8 or fd00::/8`);
  }
  return [address, bits];
}

/**
 * Judges an IP address: unspecified, link-local, multicast and broadcast addresses are refused always,
 * loopback unless it is listed, and all else where there is a list that it is not on.
 *
 * @param ip without brackets; an IPv4 address mapped into IPv6 is judged as IPv4
 * @returns why it may not be dialled, for people; undefined where it may
 */
export function dialRefusal(ip: string, networks: readonly Cidr[]): string | undefined {
  const address = parseIp(ip);
  if (address === undefined) return `${JSON.stringify(ip)} is no IP address`;
  const kind = refusedKinds[address.range()];
  if (kind !== undefined) return `${address} is ${kind} and is never dialled`;
  const listed = networks.some((network) => contains(network, address));
  if (address.range() === 'loopback' && !listed) {
    return `${address} is a loopback address and node_networks does not list it`;
  }
  if (networks.length > 0 && !listed) return `${address} is outside node_networks`;
  return undefined;
}

const refusedKinds: Readonly<Record<string, string | undefined>> = {
  unspecified: 'an unspecified address',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
};

function contains([network, bits]: Cidr, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/** Gives all IP addresses of a host name; rejects where there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export type DialTarget =
  /** `address` is IP and port, IPv6 in brackets. */
  | { readonly ok: true; readonly ip: string; readonly port: number; readonly address: string }
  | {
      readonly ok: false;
      /** No host and port; a name without addresses; addresses that may not be dialled. */
      readonly kind: 'INVALID' | 'UNRESOLVED' | 'REFUSED';
      /** A sentence for people. */
      readonly message: string;
    };

/**
 * Turns `host:port` into an IP address and port that may be dialled. Names are resolved here, and what is
 * dialled is the address that was judged, not the name, which might resolve to another one a moment later.
 */
export async function resolveDialable(
  address: string,
  networks: readonly Cidr[],
  lookup: Lookup,
): Promise<DialTarget> {
  let parsed: HostPort;
  try {
    parsed = parseHostPort(address);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return { ok: false, kind: 'INVALID', message: error.message };
  }
  const { host, port } = parsed;
  if (port === 0) return { ok: false, kind: 'INVALID', message: `${JSON.stringify(address)} has port 0` };
  const found = parseIp(host) === undefined ? await resolveName(host, lookup) : [host];
  if (typeof found === 'string') return { ok: false, kind: 'UNRESOLVED', message: found };
  let refusal = `${host} has no address`;
  for (const ip of found) {
    const why = dialRefusal(ip, networks);
    if (why === undefined) {
      const plain = `${parseIp(ip)}`;
      return { ok: true, ip: plain, port, address: formatHostPort(plain, port) };
    }
    refusal = why;
  }
  return { ok: false, kind: 'REFUSED', message: refusal };
}

async function resolveName(host: string, lookup: Lookup): Promise<readonly string[] | string> {
  try {
    return await lookup(host);
  } catch (error) {
    return `${host} does not resolve: ${error instanceof Error ? error.message : String(error)}`;
  }
}
