// Makes keys and certificates: of a boot, and of a development CA.

export interface NewCertificate {
  readonly commonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** DNS names, IP addresses and URIs. */
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  readonly uris?: readonly string[];
  readonly usages?: readonly ('serverAuth' | 'clientAuth')[];
  /** A certificate authority. Default false. */
  readonly ca?: boolean;
}

/** A certificate and its key, both PEM; the key is PKCS#8, ECDSA P-256. */
export interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** @param issuer undefined for a self-signed certificate */
export async function issueCertificate(
  _wanted: NewCertificate,
  _issuer?: IssuedCertificate,
): Promise<IssuedCertificate> {
  throw new Error('not yet');
}
