// Certificates of every kind for tests: authorities, what they issue, and what nobody should accept.

import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '../../shared/trust/x509.js';

export type KeyKind = 'P-256' | 'ED25519' | 'RSA';

export interface CertificateWish {
  readonly name?: string;
  readonly key?: KeyKind;
  /** Those of an earlier certificate; new ones where absent. */
  readonly keys?: CryptoKeyPair;
  /** Self-signed where absent. */
  readonly issuer?: TestCertificate;
  readonly ca?: boolean;
  readonly uris?: readonly string[];
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  /** Extended key usages; no such extension where absent. */
  readonly usages?: readonly ('serverAuth' | 'clientAuth')[];
  /** Whether it says which keys it and its issuer have, as most do. Default true. */
  readonly keyIds?: boolean;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A certificate and its key; PEM but for what says otherwise. */
export interface TestCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** Lower case hex SHA-256 of the DER. */
  readonly sha256: string;
  readonly keys: CryptoKeyPair;
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;

const algorithms = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ED25519: { name: 'Ed25519' },
  RSA: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
} as const;

const usageIds = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

export const dayMs = 86_400_000;

let serial = 1;

/** Makes a certificate. */
export async function makeCertificate(wish: CertificateWish = {}): Promise<TestCertificate> {
  const algorithm = algorithms[wish.key ?? 'P-256'];
  const keys =
    wish.keys ?? ((await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair);
  const names = [
    ...(wish.uris ?? []).map((value) => ({ type: 'url' as const, value })),
    ...(wish.dns ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(wish.ips ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const subject = `CN=${wish.name ?? 'test'}`;
  const issuer = wish.issuer && new X509Certificate(wish.issuer.certificatePem);
  const signingKey = wish.issuer?.keys.privateKey ?? keys.privateKey;
  const issuerKey = issuer?.publicKey ?? keys.publicKey;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: (serial++).toString(16).padStart(4, '0'),
    subject,
    issuer: issuer?.subject ?? subject,
    notBefore: wish.notBefore ?? new Date(Date.now() - dayMs),
    notAfter: wish.notAfter ?? new Date(Date.now() + 30 * dayMs),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: { hash: 'SHA-256', ...signingKey.algorithm },
    extensions: [
      new BasicConstraintsExtension(wish.ca ?? false, undefined, true),
      ...(wish.keyIds === false
        ? []
        : [
            await SubjectKeyIdentifierExtension.create(keys.publicKey),
            await AuthorityKeyIdentifierExtension.create(issuerKey),
          ]),
      ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
      ...(wish.usages ? [new ExtendedKeyUsageExtension(wish.usages.map((usage) => usageIds[usage]))] : []),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const base64 = Buffer.from(pkcs8).toString('base64');
  const hash = await webcrypto.subtle.digest('SHA-256', certificate.rawData);
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    keyPem: `-----BEGIN PRIVATE KEY-----\n${base64.replaceAll(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`,
    sha256: Buffer.from(hash).toString('hex'),
    keys,
  };
}

/** Makes an authority. */
export function makeAuthority(wish: Omit<CertificateWish, 'ca'> = {}): Promise<TestCertificate> {
  return makeCertificate({ name: 'test CA', ...wish, ca: true });
}
