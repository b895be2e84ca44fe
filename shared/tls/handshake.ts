// The client's half of a TLS handshake, bounded in time. Whom it accepts is its callers' matter, and they decide
// it before anything is sent.

import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
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

/** @returns hex SHA-256 of the DER of the peer's certificate, by which boots are known */
export function peerHash(socket: TLSSocket): string {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) throw new Error('the peer showed no certificate');
  return createHash('sha256').update(certificate.raw).digest('hex');
}

/** OpenSSL's own messages have codes and source files in them; what they mean is in `reason`. */
function inWords(error: Error): Error {
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
  return new Error(`TLS: ${reason}`, { cause: error });
}
