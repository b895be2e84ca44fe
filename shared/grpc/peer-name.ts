// The name of a caller's certificate, for people: it decides nothing.

import type { ServerUnaryCall } from '@grpc/grpc-js';
import { printable } from '../printable.js';

/** What a connection shows of its peer. */
export type AuthContext = ReturnType<ServerUnaryCall<unknown, unknown>['getAuthContext']>;

/** As long as a common name may be (RFC 5280): characters. */
const longestName = 64;

/**
 * The common name of the certificate that the handshake verified, shortened, and with what cannot be printed as
 * `\u{…}`.
 *
 * @returns empty where there is no such certificate, or no such name in it
 */
export function certificateName(context: AuthContext): string {
  // Where there are several, Node gives all of them; of a certificate that it cannot take apart, none.
  const given: unknown = context.sslPeerCertificate?.subject?.CN;
  const [name]: unknown[] = Array.isArray(given) ? given : [given];
  if (typeof name !== 'string') return '';
  const characters = [...name.trim()];
  const kept = characters.slice(0, longestName).join('');
  return characters.length > longestName ? `${printable(kept)}…` : printable(kept);
}
