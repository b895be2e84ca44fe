// Credentials of clients of services: TLS 1.3, with the service verified before anything is sent (design,
// section 8, "Transport" and "First contact").

import { X509Certificate } from 'node:crypto';
import { connect, isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { type Clock, systemClock } from '../clock.js';
import { type Connecting, GuardedCredentials, type SocketGuard } from '../grpc/guarded-credentials.js';
import { certificateSha256 } from '../trust/report-envelope.js';
import { readCertificate } from './certificate-facts.js';
import { minVersion, peerCertificate, presentedChain, shakeHands } from './handshake.js';
import type { TlsFiles, TlsMaterial } from './tls-files.js';

/** How long a handshake may take: milliseconds. */
const handshakeMs = 10_000;

/**
 * For clients with a certificate of the site: the service's must be of its CA, and have the URI SAN
 * `slipway:role:ROLE` or the name that is dialled. Each new connection is made with the files as they are then.
 *
 * @param service the role of the service that is dialled
 */
export function serviceCredentials(
  files: TlsFiles,
  service: 'discovery' | 'provisioner',
  clock: Clock = systemClock,
): ChannelCredentials {
  const contextOf = newest(({ certificatePem, keyPem, caPem }: TlsMaterial) =>
    createSecureContext({ minVersion, cert: certificatePem, key: keyPem, ...trusting(caPem) }),
  );
  const hasRole = roleCheck(service);
  return new GuardedCredentials(clock, (connecting) =>
    verified(connecting, connecting.socket, contextOf(files.current), clock, (der) => {
      if (!hasRole(der) && !hasName(der, connecting.host)) {
        throw new Error(
          `the peer's certificate has neither the URI ${roleUri(service)} nor the name ${connecting.host}`,
        );
      }
    }),
  );
}

/** How a node knows the CA of the discovery that it reports to. */
export type RegistryAnchor =
  /** PEM, from a file on the node. */
  | { readonly kind: 'CA'; readonly caPem: string }
  /** Hex SHA-256 of a certificate (DER), from its token: discovery presents that certificate. */
  | { readonly kind: 'HASH'; readonly caSha256: string };

/**
 * For nodes that report: no client certificate; discovery's must lead to the anchor, and to no other, and have the
 * URI SAN `slipway:role:discovery`. Nothing is sent before that.
 *
 * @throws Error where the anchor's PEM holds no certificate
 */
export function registryCredentials(anchor: RegistryAnchor, clock: Clock = systemClock): ChannelCredentials {
  const contextOf = newest((caPem: string) => createSecureContext({ minVersion, ...trusting(caPem) }));
  let caPem: string | undefined;
  if (anchor.kind === 'CA') {
    caPem = anchor.caPem;
    // OpenSSL takes a text without a certificate for an empty list.
    new X509Certificate(caPem);
    contextOf(caPem);
  }
  const hasRole = roleCheck('discovery');
  return new GuardedCredentials(clock, async (connecting) => {
    let { socket } = connecting;
    if (caPem === undefined && anchor.kind === 'HASH') {
      const { remoteAddress: host, remotePort: port } = socket;
      caPem = await learnAuthority(socket, anchor.caSha256.toLowerCase(), clock);
      // That connection was for looking: another one is verified from its first byte.
      socket = await dial(host, port, connecting.guard);
    }
    return verified(connecting, socket, contextOf(caPem ?? ''), clock, (der) => {
      if (!hasRole(der)) {
        throw new Error(`the peer's certificate lacks the URI ${roleUri('discovery')}`);
      }
    });
  });
}

/** A CA that is trusted need not be a root. The system's own count for nothing: they are not the site's. */
function trusting(caPem: string) {
  return { ca: caPem, allowPartialTrustChain: true };
}

/** Makes of a value what is made of the same value once. */
function newest<T, Made>(make: (from: T) => Made): (from: T) => Made {
  let last: { readonly from: T; readonly made: Made } | undefined;
  return (from) => {
    if (last?.from !== from) last = { from, made: make(from) };
    return last.made;
  };
}

function verified(
  { host }: Connecting,
  socket: Socket,
  secureContext: SecureContext,
  clock: Clock,
  judge: (der: Buffer) => void,
): Promise<TLSSocket> {
  return shakeHands(socket, {
    clock,
    limitMs: handshakeMs,
    tls: {
      secureContext,
      ...(host !== '' && isIP(host) === 0 && { servername: host }),
      // Written, for an environment variable (NODE_TLS_REJECT_UNAUTHORIZED) may have changed the default.
      rejectUnauthorized: true,
      // Node would ask for a name of the host alone; whose certificate it is, is judged below.
      checkServerIdentity: () => undefined,
    },
    judge: (secured) => {
      if (!secured.authorized) throw new Error('the peer is not verified');
      judge(peerCertificate(secured));
    },
  });
}

/** @returns PEM of the presented CA certificate that has the hash */
async function learnAuthority(socket: Socket, caSha256: string, clock: Clock): Promise<string> {
  let found: X509Certificate | undefined;
  const secured = await shakeHands(socket, {
    clock,
    limitMs: handshakeMs,
    tls: { secureContext: createSecureContext({ minVersion, ca: [] }), rejectUnauthorized: false },
    judge: (peer) => {
      const der = presentedChain(peer).find((each) => certificateSha256(each) === caSha256);
      if (der === undefined) throw new Error(`the peer presents no certificate with the hash ${caSha256}`);
      found = new X509Certificate(der);
      if (!found.ca) throw new Error(`the certificate with the hash ${caSha256} is no CA certificate`);
    },
  });
  secured.destroy();
  if (found === undefined) throw new Error('the peer was not looked at');
  return found.toString();
}

function dial(host: string | undefined, port: number | undefined, guard: SocketGuard): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (host === undefined || port === undefined) throw new Error('the connection was closed');
    const socket = connect({ host, port, noDelay: true });
    guard.hold(socket);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function roleUri(service: string): string {
  return `slipway:role:${service}`;
}

/** Reading a certificate costs more than all else of a connection, and the same one comes again and again. */
function roleCheck(service: string): (der: Buffer) => boolean {
  const read = newest((hex: string) =>
    readCertificate(Buffer.from(hex, 'hex')).names.some(
      ({ kind, value }) => kind === 'URI' && value === roleUri(service),
    ),
  );
  return (der) => read(der.toString('hex'));
}

function hasName(der: Buffer, host: string): boolean {
  if (host === '') return false;
  const certificate = new X509Certificate(der);
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  return certificate.checkHost(host, { subject: 'never' }) !== undefined;
}
