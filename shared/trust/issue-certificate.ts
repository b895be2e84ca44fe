// Makes keys and certificates: of a boot, and of a development CA.

import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from './x509.js';

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

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Makes a key pair and a certificate for it.
 *
 * @param issuer undefined for a self-signed certificate
 * @throws where the issuer is not an ECDSA P-256 key with its certificate
 */
export async function issueCertificate(
  wanted: NewCertificate,
  issuer?: IssuedCertificate,
): Promise<IssuedCertificate> {
  const pair = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const subject = [{ CN: [wanted.commonName] }];
  const issuerCertificate = issuer && new X509Certificate(issuer.certificatePem);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject,
    issuer: issuerCertificate?.subjectName ?? subject,
    notBefore: wanted.notBefore,
    notAfter: wanted.notAfter,
    publicKey: pair.publicKey,
    signingKey: issuer === undefined ? pair.privateKey : await importKey(issuer.keyPem),
    signingAlgorithm: algorithm,
    extensions: [
      ...extensionsOf(wanted),
      await SubjectKeyIdentifierExtension.create(pair.publicKey),
      ...(issuerCertificate ? [await authorityOf(issuerCertificate)] : []),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return {
    certificatePem: `${certificate.toString('pem').trimEnd()}\n`,
    keyPem: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

/** 128 bits, the first of them 0 and the second 1: positive and of one length (RFC 5280, section 4.1.2.2). */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

/** Signs what belongs to another certificate. */
function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
}

function extensionsOf({ ca = false, ...wanted }: NewCertificate): Extension[] {
  const usage = ca ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign : KeyUsageFlags.digitalSignature;
  const extensions: Extension[] = [
    new BasicConstraintsExtension(ca, undefined, true),
    new KeyUsagesExtension(usage, true),
  ];
  const usages = wanted.usages ?? [];
  if (usages.length > 0) {
    extensions.push(new ExtendedKeyUsageExtension(usages.map((name) => ExtendedKeyUsage[name])));
  }
  const names: JsonGeneralName[] = [
    ...(wanted.dns ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(wanted.ips ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(wanted.uris ?? []).map((value) => ({ type: 'url' as const, value })),
  ];
  if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension(names));
  return extensions;
}

/** Names the issuer's key as the issuer's certificate does. */
async function authorityOf(issuer: X509Certificate): Promise<Extension> {
  const own = issuer.getExtension(SubjectKeyIdentifierExtension);
  if (own !== null) return new AuthorityKeyIdentifierExtension(own.keyId);
  return AuthorityKeyIdentifierExtension.create(issuer.publicKey);
}
