// The certificate that a boot serves with and signs its reports by: made anew for each, by itself, so that it says
// nothing but who holds its key (design, section 8, "First contact").

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ServerCredentials } from '@grpc/grpc-js';
import { fixedServerCredentials } from '../../../shared/tls/server-credentials.js';
import { issueCertificate } from '../../../shared/trust/issue-certificate.js';
import { certificateSha256 } from '../../../shared/trust/report-envelope.js';

export interface BootCertificate {
  readonly der: Buffer;
  /** Lower case hex, of the DER. */
  readonly sha256: string;
  readonly key: KeyObject;
  readonly credentials: ServerCredentials;
}

/** Peers know it by its hash: its dates only must not be in the way of a clock that is wrong. */
const dayMs = 86_400_000;
const validDays = 3_650;

/** @param now Unix milliseconds */
export async function newBootCertificate(commonName: string, now: number): Promise<BootCertificate> {
  const { certificatePem, keyPem } = await issueCertificate({
    commonName,
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + validDays * dayMs),
    usages: ['serverAuth'],
  });
  const der = new X509Certificate(certificatePem).raw;
  return {
    der,
    sha256: certificateSha256(der),
    key: createPrivateKey(keyPem),
    credentials: fixedServerCredentials(certificatePem, keyPem),
  };
}
