// The public key in a certificate request: which kinds and sizes are accepted (design, section 8).

import { createPublicKey, type KeyObject } from 'node:crypto';
import { CsrError } from './csr-error.js';
import { type DerNode, expectNode, oidOf, readDer, tags, wholeBytes } from './der.js';
import { asMalformed } from './structure.js';

export interface RequestKey {
  readonly kind: 'RSA' | 'EC' | 'ED25519';
  /** For people: "RSA 2048", "EC P-256", "ed25519". */
  readonly description: string;
  readonly key: KeyObject;
}

const leastRsaBits = 2048;
const mostRsaBits = 8192;
/** What others that read such keys take: Go refuses a greater one. */
const greatestRsaExponent = 2n ** 31n - 1n;

/** Length of an uncompressed point, bytes, and the name, of each curve. */
const curves: ReadonlyMap<string, { readonly name: string; readonly pointBytes: number }> = new Map([
  ['1.2.840.10045.3.1.7', { name: 'P-256', pointBytes: 65 }],
  ['1.3.132.0.34', { name: 'P-384', pointBytes: 97 }],
  ['1.3.132.0.35', { name: 'P-521', pointBytes: 133 }],
]);

/** Kinds and curves that are refused by name. */
const refused: ReadonlyMap<string, string> = new Map([
  ['1.2.840.10045.3.1.1', 'P-192'],
  ['1.3.132.0.33', 'P-224'],
  ['1.3.132.0.10', 'secp256k1'],
  ['1.2.840.113549.1.1.10', 'RSA-PSS'],
  ['1.2.840.10040.4.1', 'DSA'],
  ['1.3.101.110', 'x25519'],
  ['1.3.101.111', 'x448'],
  ['1.3.101.113', 'ed448'],
]);

/**
 * Takes RSA of 2048 to 8192 bits, EC keys on P-256, P-384 and P-521, and ed25519.
 *
 * @param info SubjectPublicKeyInfo
 * @throws CsrError KEY, MALFORMED
 */
export function readKey(info: DerNode): RequestKey {
  const { kind, description } = asMalformed(() => recognise(info));
  let key: KeyObject;
  try {
    key = createPublicKey({ key: info.raw, format: 'der', type: 'spki' });
  } catch (error) {
    // OpenSSL refuses what is no key, such as a point that is not on the curve.
    throw new CsrError('KEY', `the key is no valid ${description} key`, { cause: error });
  }
  return { kind, description, key };
}

function recognise(info: DerNode): Omit<RequestKey, 'key'> {
  const [identifier, bits] = info.children;
  const algorithm = expectNode(identifier, tags.sequence, 'the algorithm of the key', { min: 1, max: 2 });
  const [type, parameters] = algorithm.children;
  const oid = oidOf(type, 'the algorithm of the key');
  const bytes = wholeBytes(bits, 'the key');
  switch (oid) {
    case '1.2.840.113549.1.1.1':
      return recogniseRsa(bytes);
    case '1.2.840.10045.2.1':
      return recogniseEc(parameters, bytes);
    case '1.3.101.112':
      if (parameters !== undefined || bytes.length !== 32)
        throw new CsrError('KEY', 'the ed25519 key is malformed');
      return { kind: 'ED25519', description: 'ed25519' };
    default:
      throw notAllowed(refused.get(oid) ?? `the algorithm ${oid}`);
  }
}

function recogniseRsa(bytes: Buffer): Omit<RequestKey, 'key'> {
  const { children } = expectNode(readDer(bytes), tags.sequence, 'the RSA key', { min: 2, max: 2 });
  const [modulus, exponent] = children.map(
    (child) => expectNode(child, tags.integer, 'a number of the RSA key').content,
  );
  if (!isPositive(modulus) || !isPositive(exponent)) throw new CsrError('KEY', 'the RSA key is malformed');
  const bits = bitLength(modulus);
  const description = `RSA ${bits}`;
  if (bits < leastRsaBits || bits > mostRsaBits) throw notAllowed(description);
  const value = exponent.length > 8 ? greatestRsaExponent + 1n : BigInt(`0x${exponent.toString('hex')}`);
  if (value < 3n || value % 2n === 0n || value > greatestRsaExponent) {
    throw new CsrError(
      'KEY',
      'the public exponent of the RSA key is not allowed: expected an odd number from 3 to 2³¹-1',
    );
  }
  return { kind: 'RSA', description };
}

function isPositive(integer: Buffer | undefined): integer is Buffer {
  return integer !== undefined && (integer[0] ?? 0) < 0x80 && !integer.equals(Buffer.of(0));
}

function bitLength(positive: Buffer): number {
  const significant = positive[0] === 0 ? positive.subarray(1) : positive;
  return 8 * significant.length - (Math.clz32(significant[0] ?? 0) - 24);
}

function recogniseEc(parameters: DerNode | undefined, point: Buffer): Omit<RequestKey, 'key'> {
  if (parameters?.tag !== tags.oid) throw notAllowed('EC on a curve without a name');
  const oid = oidOf(parameters, 'the curve');
  const curve = curves.get(oid);
  if (curve === undefined) throw notAllowed(`EC on ${refused.get(oid) ?? oid}`);
  // Compressed points are legal, but Go reads none, and with it nothing of Choria.
  if (point[0] !== 0x04 || point.length !== curve.pointBytes) {
    throw new CsrError('KEY', `the point of the ${curve.name} key is not an uncompressed one`);
  }
  return { kind: 'EC', description: `EC ${curve.name}` };
}

function notAllowed(what: string): CsrError {
  return new CsrError(
    'KEY',
    `the key is not allowed: expected RSA of ${leastRsaBits} to ${mostRsaBits} bits, EC on P-256, P-384 or P-521, or ed25519, got ${what}`,
  );
}
