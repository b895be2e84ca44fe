// Channel credentials for nodes, which have no certificate of the site: a node is known by the hash of the
// certificate that it made at its boot (design, section 8, "First contact").

import { createSecureContext, type SecureContext } from 'node:tls';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { type Clock, systemClock } from '../clock.js';
import { minVersion, shakeHands, takePeerCertificate } from '../tls/handshake.js';
import { certificateSha256 } from '../trust/report-envelope.js';
import { GuardedCredentials } from './guarded-credentials.js';

/**
 * Credentials without TLS for channels to nodes. One object serves any number of channels. Closing such a
 * channel ends calls that are still in flight a quarter of a second later.
 */
export function insecureNodeCredentials(clock: Clock = systemClock): ChannelCredentials {
  return new GuardedCredentials(clock);
}

export interface PinnedOptions {
  readonly clock?: Clock;
  /** How long a handshake may take: milliseconds. Default 5000. */
  readonly handshakeMs?: number;
}

/** Words of a failed connection to a peer that showed another certificate than the pinned one. */
export const pinMismatch = 'another certificate than the pinned one';

/**
 * Credentials with TLS for channels to one node: its boot certificate, known by hash, is accepted and no other
 * one, whatever name, issuer and dates it has. A call to a peer with another one fails with UNAVAILABLE, never
 * connected, and its details contain {@link pinMismatch}.
 *
 * @param pinned SHA-256 of its DER, lower case hex
 */
export function pinnedNodeCredentials(pinned: string, options: PinnedOptions = {}): ChannelCredentials {
  return judgingByHash((hash) => checkPin(hash, pinned), options);
}

/**
 * Credentials with TLS for the first contact with a node of which only the address is known: the first certificate
 * is accepted, whichever it is, and then no other. They are for one channel.
 *
 * @param learn is given the SHA-256 of the certificate's DER, lower case hex, before the first call is sent
 */
export function learningNodeCredentials(
  learn: (hash: string) => void,
  options: PinnedOptions = {},
): ChannelCredentials {
  let learned: string | undefined;
  return judgingByHash((hash) => {
    if (learned !== undefined) checkPin(hash, learned);
    else learn(hash);
    learned = hash;
  }, options);
}

function checkPin(hash: string, pinned: string): void {
  if (hash !== pinned) throw new Error(`${pinMismatch}: it has ${hash}, and ${pinned} is pinned`);
}

const defaultHandshakeMs = 5000;

function judgingByHash(judge: (hash: string) => void, options: PinnedOptions): ChannelCredentials {
  const { clock = systemClock, handshakeMs = defaultHandshakeMs } = options;
  return new GuardedCredentials(clock, ({ socket }) =>
    shakeHands(socket, {
      clock,
      limitMs: handshakeMs,
      // That an unknown issuer is no reason to refuse is the point here: the hash is compared instead. No server
      // name is sent: nodes are dialled by IP.
      tls: { secureContext: anyIssuer(), rejectUnauthorized: false },
      // grpc-js asks for it only where it was verified by an issuer, which here it never is.
      judge: (secured) => judge(certificateSha256(takePeerCertificate(secured))),
    }),
  );
}

/** Making a context costs a quarter of a millisecond, and each node would need the same. */
let sharedContext: SecureContext | undefined;

function anyIssuer(): SecureContext {
  // An empty list of CAs, lest the system's be parsed.
  sharedContext ??= createSecureContext({ minVersion, ca: [] });
  return sharedContext;
}
