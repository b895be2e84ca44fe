// The client's half of a TLS handshake, bounded in time. Whom it accepts is its callers' matter, and they decide
// it before anything is sent.

import type { Socket } from 'node:net';
import {
  type ConnectionOptions,
  connect,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import type { Clock } from '../clock.js';

/** The oldest version that Slipway speaks (design, section 8). */
export const minVersion = 'TLSv1.3';

export interface Handshake {
  readonly clock: Clock;
  /** How long it may take: milliseconds. */
  readonly limitMs: number;
  readonly tls: Pick<
    ConnectionOptions,
    'secureContext' | 'servername' | 'rejectUnauthorized' | 'checkServerIdentity'
  >;
  /** Looks at the peer before anything is sent to it. @throws where it is not acceptable */
  readonly judge: (socket: TLSSocket) => void;
}

/**
 * Shakes hands over a connected socket, which is destroyed where that fails.
 *
 * @returns a promise of a socket that speaks HTTP/2 and to which nothing was sent yet
 */
export function shakeHands(socket: Socket, { clock, limitMs, tls, judge }: Handshake): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = connect({ socket, ALPNProtocols: ['h2'], ...tls });
    const fail = (error: Error) => {
      timer.cancel();
      reject(error);
      secured.destroy();
      socket.destroy();
    };
    const timer = clock.setTimer(limitMs, () => fail(new Error(`no TLS handshake within ${limitMs} ms`)));
    const closed = () => fail(new Error('the connection was closed during the TLS handshake'));
    // It stays: a connection that breaks later is told to the calls on it by its end.
    secured.on('error', (error) => fail(inWords(error)));
    secured.once('close', closed);
    secured.once('secureConnect', () => {
      try {
        judge(secured);
        if (secured.alpnProtocol !== 'h2') throw new Error('the peer does not speak HTTP/2 over TLS');
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      timer.cancel();
      secured.off('close', closed);
      resolve(secured);
    });
  });
}

/**
 * For a connection whose certificate nobody else asks for: of Node 20, getPeerX509Certificate() takes it away from those
 * that ask later. It costs a tenth of {@link peerCertificate}, which reads the key and all fields.
 *
 * @returns the DER of the peer's certificate
 * @throws Error where there is none
 */
export function takePeerCertificate(socket: TLSSocket): Buffer {
  return shown(socket.getPeerX509Certificate()?.raw);
}

/**
 * @returns the DER of the peer's certificate
 * @throws Error where there is none
 */
export function peerCertificate(socket: TLSSocket): Buffer {
  const certificate: Partial<PeerCertificate> | null = socket.getPeerCertificate();
  return shown(certificate?.raw);
}

function shown(der: Buffer | undefined): Buffer {
  if (der === undefined) throw new Error('the peer showed no certificate');
  return der;
}

/** Certificates that a peer may present; nobody has more. */
const longestChain = 16;

/** @returns the DER of the peer's certificate and of those that it presents as its issuers, in that order */
export function presentedChain(socket: TLSSocket): Buffer[] {
  const chain: Buffer[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && chain.length < longestChain) {
    chain.push(next.raw);
    // A root is its own issuer.
    next = next.issuerCertificate === next ? undefined : next.issuerCertificate;
  }
  return chain;
}

/** OpenSSL's own messages have codes and source files in them; what they mean is in `reason`. */
function inWords(error: Error): Error {
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
  return new Error(`TLS: ${reason}`, { cause: error });
}
