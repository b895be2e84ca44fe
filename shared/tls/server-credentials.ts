// Credentials of servers: TLS 1.3, reloaded when the files change (design, section 8, "Transport").

import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { minVersion } from './handshake.js';
import type { TlsFiles, TlsMaterial } from './tls-files.js';

/** How long a peer may take for its handshake, after which its socket is closed: milliseconds. */
const defaultHandshakeMs = 10_000;

/**
 * For listeners of services: a client certificate is asked for; one that is missing or not good does not fail
 * the handshake, but leaves the call without roles.
 */
export function mutualServerCredentials(files: TlsFiles): ServerCredentials {
  return new FileCredentials(files, true, ({ certificatePem, keyPem, caPem }) => ({
    cert: certificatePem,
    key: keyPem,
    ca: caPem,
    allowPartialTrustChain: true,
  }));
}

/** For discovery's listener for nodes: no client certificate, and the chain is presented with its root. */
export function anchoredServerCredentials(files: TlsFiles): ServerCredentials {
  return new FileCredentials(files, false, ({ chainToRootPem, keyPem }) => ({
    cert: chainToRootPem,
    key: keyPem,
    ca: noAuthorities,
  }));
}

/** For agents: a certificate and key in hand, PEM. */
export function fixedServerCredentials(
  certificatePem: string,
  keyPem: string,
  handshakeMs = defaultHandshakeMs,
): ServerCredentials {
  return new TlsCredentials(false, { cert: certificatePem, key: keyPem, ca: noAuthorities }, handshakeMs);
}

class TlsCredentials extends ServerCredentials {
  constructor(requestCert: boolean, context: SecureContextOptions, handshakeTimeout = defaultHandshakeMs) {
    super({ requestCert, rejectUnauthorized: false, handshakeTimeout }, complete(context));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }

  protected update(context: SecureContextOptions): void {
    this.updateSecureContextOptions(complete(context));
  }
}

class FileCredentials extends TlsCredentials {
  constructor(files: TlsFiles, requestCert: boolean, read: (material: TlsMaterial) => SecureContextOptions) {
    super(requestCert, read(files.current));
    files.onChange((material) => this.update(read(material)));
  }
}

/** Nobody is verified; without a list, the system's would be read. */
const noAuthorities: string[] = [];

/**
 * No tickets: a peer that resumes a session is not verified again, so that its certificate would outlive its CA
 * and its dates.
 */
function complete(context: SecureContextOptions): SecureContextOptions {
  return { ...context, minVersion, secureOptions: constants.SSL_OP_NO_TICKET };
}
