// How channels are set up: to nodes, of which there are thousands, each dialled once a run; and to services,
// which are few and stay. Whom a channel trusts is the credentials' matter.

import type { ChannelOptions } from '@grpc/grpc-js';
import { formatHostPort, isIpv6, parseHostPort } from '../net/addresses.js';

/** A message of a service: bytes. */
const serviceMessage = 4 << 20;

/** A reply of a node, but for an inventory: bytes (design, section 6). */
const nodeMessage = 1 << 20;

const everyChannel = {
  // The pool that channels share by default is walked as a whole by each close: with thousands of nodes that
  // is most of the work.
  'grpc.use_local_subchannel_pool': 1,
  // A proxy of the environment is for the web, not for nodes and services inside a site.
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  // Retries are decided where it is known what a repeat does.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
} as const satisfies ChannelOptions;

/** Options of a channel to one node, opened for a run or a probe and then closed. */
export const nodeChannelOptions: Readonly<ChannelOptions> = Object.freeze({
  ...everyChannel,
  'grpc.max_receive_message_length': nodeMessage,
});

/** Options of a channel to a service, which stays open and comes back by itself after a loss. */
export const serviceChannelOptions: Readonly<ChannelOptions> = Object.freeze({
  ...everyChannel,
  'grpc.max_receive_message_length': serviceMessage,
  'grpc.initial_reconnect_backoff_ms': 250,
  'grpc.max_reconnect_backoff_ms': 5_000,
});

/**
 * Writes an address, which must hold an IP and a port, as a target that grpc-js dials without asking a
 * resolver.
 *
 * @throws AddressError where it is no host and port
 */
export function ipTarget(address: string): string {
  const { host, port } = parseHostPort(address);
  return `${isIpv6(host) ? 'ipv6' : 'ipv4'}:${formatHostPort(host, port)}`;
}
