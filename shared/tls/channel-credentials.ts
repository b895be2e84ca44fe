// Credentials of clients of services: TLS 1.3, with the service verified before anything is sent (design,
// section 8, "Transport" and "First contact").

import type { ChannelCredentials } from '@grpc/grpc-js';
import type { Clock } from '../clock.js';
import type { TlsFiles } from './tls-files.js';

/**
 * For clients with a certificate of the site: the service's must be of its CA, and have the URI SAN
 * `slipway:role:ROLE` or the name that is dialled. Each new connection is made with the files as they are then.
 *
 * @param service the role of the service that is dialled
 */
export function serviceCredentials(
  _files: TlsFiles,
  _service: 'discovery' | 'provisioner',
  _clock?: Clock,
): ChannelCredentials {
  throw new Error('not yet');
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
 */
export function registryCredentials(_anchor: RegistryAnchor, _clock?: Clock): ChannelCredentials {
  throw new Error('not yet');
}
