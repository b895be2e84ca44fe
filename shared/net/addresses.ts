// Addresses as text: hosts with ports, and IP addresses without the disguises that they come in.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A text that is no address. The message is a sentence for people. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

export interface HostPort {
  /** Host name or IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

const hostNamePattern =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?$/i;

/**
 * Reads `host:port`, IPv6 in brackets. Port 0 passes: whoever dials must refuse it, whoever listens means
 * any free port.
 *
 * @throws AddressError
 */
export function parseHostPort(text: string): HostPort {
  const bracketed = /^\[([^\]]*)\]:(.*)$/s.exec(text);
  const colon = text.lastIndexOf(':');
  const host = bracketed?.[1] ?? text.slice(0, Math.max(colon, 0));
  const portText = bracketed?.[2] ?? text.slice(colon + 1);
  if (colon === -1) throw new AddressError(`${quote(text)} has no port: write host:port`);
  if (bracketed === null && host.includes(':')) {
    throw new AddressError(
      `${quote(text)} is ambiguous: write an IPv6 address in brackets, as in [::1]:7410`,
    );
  }
  if (host === '') {
    throw new AddressError(`${quote(text)} has no host: write host:port, as in 0.0.0.0:7410`);
  }
  if (bracketed === null ? !isHost(host) : !isIpv6(host)) {
    throw new AddressError(
      `${quote(text)}: ${quote(host)} is no ${bracketed ? 'IPv6 address' : 'host name or IP address'}`,
    );
  }
  return { host, port: parsePort(portText, text) };
}

function parsePort(portText: string, text: string): number {
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : Number.NaN;
  if (!(port <= 65535)) {
    throw new AddressError(`${quote(text)}: ${quote(portText)} is no port: write a number from 0 to 65535`);
  }
  return port;
}

/** A name that looks like an IPv4 address must be one: some resolvers read `127.1` and `010.0.0.1` oddly. */
function isHost(host: string): boolean {
  return isIP(host) === 4 || (hostNamePattern.test(host) && !/(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(host));
}

/** Writes host and port, IPv6 in brackets. */
export function formatHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** True for an IPv6 address without brackets and without a zone. */
export function isIpv6(host: string): boolean {
  return isIP(host) === 6 && !host.includes('%');
}

/**
 * Reads an IP address in its strict forms; an IPv4 address that came mapped into IPv6, as dual-stack
 * sockets show it, is given as the IPv4 address that it is.
 *
 * @returns undefined where the text is no IP address
 */
export function parseIp(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  return ipaddr.process(text);
}

/** @returns the IP address without its IPv6 disguise; the text as it is where it is no IP address */
export function unmapIp(text: string): string {
  return text.includes(':') ? (parseIp(text)?.toString() ?? text) : text;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
