// Credentials of servers: TLS 1.3, reloaded when the files change (design, section 8, "Transport").

import type { ServerCredentials } from '@grpc/grpc-js';
import type { TlsFiles } from './tls-files.js';

/**
 * For listeners of services: a client certificate is asked for; one that is missing or not good does not fail
 * the handshake, but leaves the call without roles.
 */
export function mutualServerCredentials(_files: TlsFiles): ServerCredentials {
  throw new Error('not yet');
}

/** For discovery's listener for nodes: no client certificate, and the chain is presented with its root. */
export function anchoredServerCredentials(_files: TlsFiles): ServerCredentials {
  throw new Error('not yet');
}

/** For agents: a certificate and key in hand, PEM. */
export function fixedServerCredentials(_certificatePem: string, _keyPem: string): ServerCredentials {
  throw new Error('not yet');
}
