// The server's half of TLS, in front of grpc-js, which is given connections that are through their handshake. It
// could shake hands itself, but drops the connection of a client whose certificate has a bad signature, where the
// client is to be told so by each call; and nobody would see why a handshake fails.

import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import type { ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from '../logger.js';
import { leadsTo, pathFrom, pemCertificates } from '../tls/certificate-chain.js';
import { presentedChain } from '../tls/handshake.js';

/**
 * Shakes hands as the credentials say, also as they say after a change.
 *
 * @param connected is given each connection once it is encrypted and HTTP/2 was agreed on
 * @param known is given before that each connection whose peer has shown a good certificate
 * @returns what takes a connection from which nothing was read yet
 * @throws Error where the credentials cannot be used
 */
export function terminating(
  credentials: ServerCredentials,
  connected: (socket: TLSSocket) => void,
  log: Logger,
  known: (socket: TLSSocket) => void = () => {},
): (socket: Socket) => void {
  const verified = new Set<TLSSocket>();
  const failed = (error: Error, socket: TLSSocket) => {
    log.debug({ peer: socket.remoteAddress, why: error.message }, 'a TLS connection has failed');
    socket.destroy();
  };
  const secured = (socket: TLSSocket, by: Server) => {
    socket.on('error', (error) => failed(error, socket));
    // Looking at the certificate empties OpenSSL's list of errors. Node would take one that is left there, by a
    // bad signature for instance, for the end of the connection.
    socket.getPeerCertificate();
    if (socket.authorized) {
      verified.add(socket);
      known(socket);
      socket.once('close', () => verified.delete(socket));
      // A handshake ends as it began, whatever has changed meanwhile.
      if (by !== current.server) withdraw(socket, current.context);
    }
    if (socket.alpnProtocol === 'h2') connected(socket);
    else socket.destroy();
  };
  const serverFor = (context: SecureContextOptions): Server => {
    const server = createServer({
      ...credentials._getConstructorOptions(),
      ...context,
      ALPNProtocols: ['h2'],
    });
    server.on('tlsClientError', failed);
    server.on('secureConnection', (socket) => secured(socket, server));
    return server;
  };
  const asOf = (context: SecureContextOptions) => ({ context, server: serverFor(context) });
  let current = asOf(credentials._getSecureContextOptions() ?? {});
  credentials._addWatcher((changed) => {
    if (changed === null) return;
    current = asOf(changed);
    for (const socket of verified) withdraw(socket, changed);
  });
  return (socket) => {
    current.server.emit('connection', socket);
  };
}

/** Who was verified by a CA that is gone keeps its connection and what is open on it, but no call is let in. */
function withdraw(socket: TLSSocket, { ca }: SecureContextOptions): void {
  if (socket.destroyed) return;
  const [leaf, ...others] = presentedChain(socket).map((der) => new X509Certificate(der));
  const trusted = pemCertificates(String(ca)).map((pem) => new X509Certificate(pem));
  // grpc-js shows the certificate of a peer that is authorized, and looks each time.
  socket.authorized = leaf !== undefined && leadsTo(pathFrom(leaf, [...trusted, ...others]), trusted);
}
