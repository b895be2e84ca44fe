// Reads roles from client certificates (design, section 8, "Transport"). That a certificate leads to a CA of the site
// was verified in the handshake; here it is judged for each call, for connections outlive certificates.

import { status } from '@grpc/grpc-js';
import type { Clock } from '../clock.js';
import type { Authenticator } from '../grpc/access.js';
import { RpcError } from '../grpc/errors.js';
import type { AuthContext } from '../grpc/peer-name.js';
import { type CertificateFacts, readCertificate } from './certificate-facts.js';
import { compileRoles, type Role, type RolePatterns } from './roles.js';

interface Known extends CertificateFacts {
  readonly roles: ReadonlySet<Role>;
}

/** Certificates that are remembered; there are a few services and operators. */
const mostKnown = 100;

/**
 * Reads roles from client certificates, which need EKU clientAuth and must be valid at the moment of the call.
 *
 * @throws Error where a pattern cannot be used, naming it and its role
 */
export function certificateAuthenticator(patterns: RolePatterns, clock: Clock): Authenticator {
  const rolesOf = compileRoles(patterns);
  const known = new Map<string, Known>();

  const recall = (der: Buffer, fingerprint: string): Known => {
    const found = known.get(fingerprint);
    if (found !== undefined) return found;
    const facts = read(der);
    const made = { ...facts, roles: rolesOf(facts.names) };
    const [oldest] = known.keys();
    if (known.size >= mostKnown && oldest !== undefined) known.delete(oldest);
    known.set(fingerprint, made);
    return made;
  };

  return {
    rolesOf: (context) => {
      const certificate = peerCertificate(context);
      const facts = recall(certificate.raw, certificate.fingerprint256);
      const now = clock.now();
      if (!facts.usages.has('clientAuth')) {
        throw unauthenticated('the certificate lacks the extended key usage clientAuth');
      }
      if (now > facts.notAfter) {
        throw unauthenticated(`the certificate expired at ${new Date(facts.notAfter).toISOString()}`);
      }
      if (now < facts.notBefore) {
        throw unauthenticated(
          `the certificate is not valid before ${new Date(facts.notBefore).toISOString()}`,
        );
      }
      return facts.roles;
    },
  };
}

function read(der: Buffer): CertificateFacts {
  try {
    return readCertificate(der);
  } catch {
    throw unauthenticated('the certificate cannot be read');
  }
}

/** grpc-js shows a certificate only where the handshake has verified it. */
function peerCertificate(context: AuthContext) {
  const certificate = context?.sslPeerCertificate;
  if (certificate !== undefined) return certificate;
  throw unauthenticated(
    'a client certificate of a CA of this service is needed: none was shown, or it is of another CA, not valid now, ' +
      'or not good for clients (extended key usage clientAuth)',
  );
}

function unauthenticated(message: string): RpcError {
  return new RpcError(status.UNAUTHENTICATED, message, { reason: 'CERTIFICATE_INVALID' });
}
