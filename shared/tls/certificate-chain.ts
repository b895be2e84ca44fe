// Follows certificates to who issued them. It tells an operator what is missing and takes access away; to whom it is
// given in the first place is for OpenSSL to verify.

import type { X509Certificate } from 'node:crypto';

/**
 * Finds the path of issuers, by names, key identifiers and signatures.
 *
 * @returns the certificate, its issuer, the issuer's, and so on as far as they are among the candidates; a
 *   certificate that has signed itself ends it
 */
export function pathFrom(
  certificate: X509Certificate,
  candidates: readonly X509Certificate[],
): X509Certificate[] {
  const path = [certificate];
  let last = certificate;
  while (!isSelfSigned(last)) {
    const issuer = candidates.find((candidate) => hasIssued(candidate, last));
    if (issuer === undefined || path.includes(issuer)) break;
    path.push(issuer);
    last = issuer;
  }
  return path;
}

/** True where one of the path is one of the authorities. */
export function leadsTo(path: readonly X509Certificate[], authorities: readonly X509Certificate[]): boolean {
  return path.some((each) => authorities.some(({ raw }) => raw.equals(each.raw)));
}

export function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate);
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

const pemCertificate =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** @returns the PEM certificates in a text, each as a text of its own */
export function pemCertificates(text: string): string[] {
  return text.match(pemCertificate) ?? [];
}
