// Opens the channel to a node: where it may be dialled, and whom it trusts there. What is called over it is
// node-client.ts's matter.

import { type ChannelCredentials, type ChannelOptions, Client } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import { ipTarget, nodeChannelOptions } from '../../../shared/grpc/channel.js';
import {
  insecureNodeCredentials,
  learningNodeCredentials,
  pinnedNodeCredentials,
} from '../../../shared/grpc/credentials.js';
import { AddressError, parseHostPort } from '../../../shared/net/addresses.js';
import { type Cidr, dialRefusal } from '../../../shared/net/dial-policy.js';
import { type Dial, type FirstContact, type NodeAddress, type NodeAgent, NodeCallError } from './node.js';
import { NodeClient, type NodeClientOptions, replyBytes } from './node-client.js';

export interface DialerOptions extends NodeClientOptions {
  /** Networks that may be dialled; empty: all but those that never are. */
  readonly networks: readonly Cidr[];
  /** Whether a node without a certificate is dialled at all. */
  readonly tlsMode: 'required' | 'insecure';
}

/** Whom a channel trusts, and the certificate that proofs over it are bound to. */
interface Trust {
  readonly credentials: ChannelCredentials;
  readonly certificateSha256: () => string;
}

/** @returns what opens a channel to a node: encrypted, to the certificate of its boot, where that is known */
export function createDialer(options: DialerOptions): Dial {
  const insecure: Trust = {
    credentials: insecureNodeCredentials(options.clock),
    certificateSha256: () => '',
  };
  return (node) => {
    const target = dialable(node.address, options.networks);
    return open(target, trustOf(node), options);
  };

  function trustOf({ address, certificateSha256, anyBoot = false }: NodeAddress): Trust {
    const { clock, tlsMode } = options;
    if (certificateSha256 === '') {
      if (tlsMode === 'insecure') return insecure;
      throw notSent(`${address} is not dialled: its certificate is not known, and tls.mode is required`);
    }
    if (!anyBoot) {
      const credentials = pinnedNodeCredentials(certificateSha256, { clock });
      return { credentials, certificateSha256: () => certificateSha256 };
    }
    return learning(clock);
  }
}

/**
 * @returns what opens a channel to a node of which only the address is known. Where the site does without encryption,
 *   so does this: such an agent may have no certificate
 */
export function createFirstContact(options: DialerOptions): FirstContact {
  const { clock, networks, tlsMode } = options;
  return (address) => {
    const target = dialable(address, networks);
    const trust: Trust =
      tlsMode === 'insecure'
        ? { credentials: insecureNodeCredentials(clock), certificateSha256: () => '' }
        : learning(clock);
    return { agent: open(target, trust, options), certificateSha256: trust.certificateSha256 };
  };
}

/** Trusts the first certificate that is shown, and then no other. */
function learning(clock: Clock): Trust {
  let learned = '';
  const learn = (hash: string) => {
    learned = hash;
  };
  return { credentials: learningNodeCredentials(learn, { clock }), certificateSha256: () => learned };
}

function open(target: string, { credentials, certificateSha256 }: Trust, options: DialerOptions): NodeAgent {
  const channelOptions: ChannelOptions = {
    ...nodeChannelOptions,
    'grpc.max_receive_message_length': Math.max(options.maxInventoryBytes, replyBytes),
    // The run's own pauses say when there is another try: the channel must be ready to dial by then.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
  };
  return new NodeClient(new Client(target, credentials, channelOptions), certificateSha256, options);
}

function dialable(address: string, networks: readonly Cidr[]): string {
  try {
    const { host, port } = parseHostPort(address);
    const refusal = port === 0 ? `${address} has port 0` : dialRefusal(host, networks);
    if (refusal === undefined) return ipTarget(address);
    throw notSent(refusal);
  } catch (error) {
    if (error instanceof AddressError) throw notSent(error.message, error);
    throw error;
  }
}

function notSent(message: string, cause?: unknown): NodeCallError {
  return new NodeCallError({ kind: 'NOT_SENT', code: 'UNAVAILABLE', message }, { cause });
}
