// What a node sends as a report: signed by the key of its boot, so that it speaks only for who holds that key
// (design, section 4).

import { createHash, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { TrustError } from './trust-error.js';

const context = Buffer.from('slipway/v1/report\n');

/** Far above what any tool makes; what is larger costs no parsing. */
const longestCertificate = 16 * 1024;
const longestSignature = 1024;

/** @returns lower case hex SHA-256 of a certificate in DER */
export function certificateSha256(der: Uint8Array): string {
  return createHash('sha256').update(der).digest('hex');
}

/** @returns signature over "slipway/v1/report\n" and the report; ECDSA ones are DER, with SHA-256 like RSA's */
export function signReport(report: Uint8Array, bootKey: KeyObject): Buffer {
  return sign(digestFor(bootKey), signedBytes(report), bootKey);
}

/** Verifies reports and keeps the keys of the certificates that it saw last: reading one costs more than using it. */
export class ReportVerifier {
  readonly #keys = new Map<string, KeyObject>();
  readonly #capacity: number;

  /** @param capacity how many certificates' keys are kept */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Verifies who sent a report.
   *
   * @param certificate DER of the boot certificate; when it is valid and who issued it does not matter
   * @returns the certificate's SHA-256, lower case hex
   * @throws TrustError MALFORMED, KEY_UNSUITABLE, SIGNATURE
   */
  verify(report: Uint8Array, certificate: Uint8Array, signature: Uint8Array): string {
    const hash = certificateSha256(certificate);
    const key = this.#keys.get(hash) ?? bootKeyOf(certificate);
    checkSignature(report, key, signature);
    // Kept only once a signature fitted: certificates that anybody can make up do not push out those in use.
    this.#keys.delete(hash);
    this.#keys.set(hash, key);
    if (this.#keys.size > this.#capacity) this.#forgetOldest();
    return hash;
  }

  #forgetOldest(): void {
    const [oldest] = this.#keys.keys();
    if (oldest !== undefined) this.#keys.delete(oldest);
  }
}

function signedBytes(report: Uint8Array): Buffer {
  return Buffer.concat([context, report]);
}

function digestFor(key: KeyObject): 'sha256' | null {
  return key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
}

function checkSignature(report: Uint8Array, key: KeyObject, signature: Uint8Array): void {
  if (signature.length > longestSignature || !verify(digestFor(key), signedBytes(report), key, signature)) {
    throw new TrustError('SIGNATURE', "the report is not signed by the certificate's key");
  }
}

function bootKeyOf(der: Uint8Array): KeyObject {
  if (der.length > longestCertificate) {
    throw new TrustError('MALFORMED', `a certificate of ${der.length} bytes is too large`);
  }
  const { raw, publicKey: key } = read(der);
  // What else stood there, PEM or bytes after the DER, would be part of the hash and of no certificate.
  if (!raw.equals(der)) throw new TrustError('MALFORMED', 'there is more than a certificate in DER');
  if (!isSuitable(key))
    throw new TrustError('KEY_UNSUITABLE', 'the certificate has a key that is not accepted');
  return key;
}

function read(der: Uint8Array): { readonly raw: Buffer; readonly publicKey: KeyObject } {
  try {
    const { raw, publicKey } = new X509Certificate(der);
    return { raw, publicKey };
  } catch (error) {
    throw new TrustError('MALFORMED', 'the certificate cannot be read', { cause: error });
  }
}

/** Beyond it a signature takes a hundred times as long to verify, and anybody may send one. */
const largestExponent = 2n ** 32n;

const curves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

function isSuitable(key: KeyObject): boolean {
  const { namedCurve = '', modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return true;
    case 'ec':
      return curves.has(namedCurve);
    case 'rsa':
      return modulusLength >= 2048 && modulusLength <= 8192 && publicExponent < largestExponent;
    default:
      return false;
  }
}
