// What Slipway reads from a certificate beyond what OpenSSL verifies.

import {
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from '../trust/x509.js';
import type { AlternativeName } from './roles.js';

export type Usage = 'serverAuth' | 'clientAuth';

export interface CertificateFacts {
  /** Unix milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Those of its URIs and DNS names as they are written in it. */
  readonly names: readonly AlternativeName[];
  /** Extended key usages that it names; none where it has no such extension. */
  readonly usages: ReadonlySet<Usage>;
}

const usageOf: Readonly<Record<string, Usage>> = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
};

/**
 * Reads a certificate.
 *
 * @param certificate DER or PEM
 * @throws Error where it cannot be read
 */
export function readCertificate(certificate: Buffer | string): CertificateFacts {
  const parsed = new X509Certificate(certificate);
  const alternative = parsed.getExtension(SubjectAlternativeNameExtension);
  const extended = parsed.getExtension(ExtendedKeyUsageExtension);
  return {
    notBefore: parsed.notBefore.getTime(),
    notAfter: parsed.notAfter.getTime(),
    names: (alternative?.names.items ?? []).flatMap(({ type, value }): AlternativeName[] => {
      if (type === 'url') return [{ kind: 'URI', value }];
      return type === 'dns' ? [{ kind: 'DNS', value }] : [];
    }),
    usages: new Set((extended?.usages ?? []).flatMap((id) => usageOf[String(id)] ?? [])),
  };
}
