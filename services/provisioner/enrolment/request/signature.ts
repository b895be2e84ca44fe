// The signature by which a certificate request shows that its maker holds the key: which algorithms are accepted,
// and whether it verifies.

import { constants, type KeyObject, verify } from 'node:crypto';
import { CsrError } from './csr-error.js';
import { type DerNode, expectNode, oidOf, tags, wholeBytes } from './der.js';
import type { RequestKey } from './key.js';
import { asMalformed, type RequestParts } from './structure.js';

interface Method {
  readonly kind: RequestKey['kind'];
  /** OpenSSL's name; null where the algorithm has its own. */
  readonly digest: string | null;
  /** Length of the salt in bytes, of RSA-PSS. */
  readonly pssSaltBytes?: number;
}

const pssType = '1.2.840.113549.1.1.10';
const mgf1Type = '1.2.840.113549.1.1.8';

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['1.2.840.113549.1.1.14', { kind: 'RSA', digest: 'sha224' }],
  ['1.2.840.113549.1.1.11', { kind: 'RSA', digest: 'sha256' }],
  ['1.2.840.113549.1.1.12', { kind: 'RSA', digest: 'sha384' }],
  ['1.2.840.113549.1.1.13', { kind: 'RSA', digest: 'sha512' }],
  ['2.16.840.1.101.3.4.3.14', { kind: 'RSA', digest: 'sha3-256' }],
  ['2.16.840.1.101.3.4.3.15', { kind: 'RSA', digest: 'sha3-384' }],
  ['2.16.840.1.101.3.4.3.16', { kind: 'RSA', digest: 'sha3-512' }],
  ['1.2.840.10045.4.3.1', { kind: 'EC', digest: 'sha224' }],
  ['1.2.840.10045.4.3.2', { kind: 'EC', digest: 'sha256' }],
  ['1.2.840.10045.4.3.3', { kind: 'EC', digest: 'sha384' }],
  ['1.2.840.10045.4.3.4', { kind: 'EC', digest: 'sha512' }],
  ['2.16.840.1.101.3.4.3.10', { kind: 'EC', digest: 'sha3-256' }],
  ['2.16.840.1.101.3.4.3.11', { kind: 'EC', digest: 'sha3-384' }],
  ['2.16.840.1.101.3.4.3.12', { kind: 'EC', digest: 'sha3-512' }],
  ['1.3.101.112', { kind: 'ED25519', digest: null }],
]);

/** Digests as RSA-PSS names them. */
const pssDigests: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** Algorithms that are refused by name. */
const weak: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.2', 'MD2'],
  ['1.2.840.113549.1.1.4', 'MD5'],
  ['1.2.840.113549.1.1.5', 'SHA-1'],
  ['1.3.14.3.2.29', 'SHA-1'],
  ['1.2.840.10045.4.1', 'SHA-1'],
  ['1.2.840.10040.4.3', 'SHA-1'],
]);

/**
 * Verifies the signature over the request with the key that is in it.
 *
 * @throws CsrError SIGNATURE_ALGORITHM, SIGNATURE, MALFORMED
 */
export function checkSignature(parts: RequestParts, { kind, key }: RequestKey): void {
  const { method, bytes } = asMalformed(() => ({
    method: readMethod(parts.signatureAlgorithm),
    bytes: wholeBytes(parts.signature, 'the signature'),
  }));
  if (method.kind !== kind) {
    throw new CsrError('SIGNATURE_ALGORITHM', 'the signature algorithm does not go with the key');
  }
  if (!verifies(method, parts.info.raw, key, bytes)) {
    throw new CsrError('SIGNATURE', 'the signature does not verify with the key in the request');
  }
}

function verifies(
  { digest, pssSaltBytes }: Method,
  data: Buffer,
  key: KeyObject,
  signature: Buffer,
): boolean {
  const padding =
    pssSaltBytes === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: pssSaltBytes };
  try {
    return verify(digest, data, { key, ...padding }, signature);
  } catch {
    // OpenSSL gives up on keys and signatures that are none.
    return false;
  }
}

function readMethod(identifier: DerNode): Method {
  const [type, parameters] = identifier.children;
  const oid = oidOf(type, 'the signature algorithm');
  if (oid === pssType) return readPss(parameters);
  const method = methods.get(oid);
  if (method === undefined) throw unsupported(weak.get(oid) ?? oid);
  if (parameters !== undefined && (parameters.tag !== tags.null || method.kind === 'ED25519')) {
    throw new CsrError(
      'SIGNATURE_ALGORITHM',
      'the signature algorithm has parameters that it should not have',
    );
  }
  return method;
}

/** RSASSA-PSS-params (RFC 4055): what is left out means SHA-1. */
function readPss(parameters: DerNode | undefined): Method {
  const fields = pssFields(parameters);
  const [hash, mask, salt, trailer] = [0xa0, 0xa1, 0xa2, 0xa3].map((tag) => fields.get(tag));
  if (hash === undefined || mask === undefined) throw unsupported('RSA-PSS with SHA-1');
  const digest = digestOf(hash);
  const [maskType, maskHash] = expectNode(mask, tags.sequence, 'the mask of RSA-PSS', pair).children;
  const sameMask =
    oidOf(maskType, 'the mask of RSA-PSS') === mgf1Type && maskHash && digestOf(maskHash) === digest;
  // 1 is the only trailer that there is; it is the default.
  if (!sameMask || (trailer !== undefined && !trailer.raw.equals(Buffer.of(tags.integer, 1, 1)))) {
    throw unsupported('RSA-PSS with a mask or trailer of its own');
  }
  return { kind: 'RSA', digest, pssSaltBytes: salt === undefined ? 20 : saltBytes(salt) };
}

const pair = { min: 2, max: 2 };

/** The fields by their tags, each there once and with one value. */
function pssFields(parameters: DerNode | undefined): ReadonlyMap<number, DerNode> {
  const { children } = expectNode(parameters, tags.sequence, 'what RSA-PSS is used with', { min: 0, max: 4 });
  const fields = new Map<number, DerNode>();
  let last = 0x9f;
  for (const { tag, children: values } of children) {
    const [value] = values;
    if (tag <= last || tag > 0xa3 || value === undefined || values.length > 1) {
      throw unsupported('RSA-PSS with fields of its own');
    }
    fields.set(tag, value);
    last = tag;
  }
  return fields;
}

function digestOf(identifier: DerNode): string {
  const what = 'the digest of RSA-PSS';
  const [type, parameters] = expectNode(identifier, tags.sequence, what, { min: 1, max: 2 }).children;
  const oid = oidOf(type, what);
  const digest = pssDigests.get(oid);
  if (digest === undefined) throw unsupported(`RSA-PSS with the digest ${oid}`);
  if (parameters !== undefined) expectNode(parameters, tags.null, `what ${what} is used with`);
  return digest;
}

function saltBytes(node: DerNode): number {
  const { content } = expectNode(node, tags.integer, 'the salt length of RSA-PSS');
  const [first = 0] = content;
  if (content.length > 2 || first >= 0x80) throw unsupported('RSA-PSS with a strange salt length');
  return content.readUIntBE(0, content.length);
}

function unsupported(what: string): CsrError {
  return new CsrError(
    'SIGNATURE_ALGORITHM',
    `the signature algorithm is not allowed: expected SHA-2, SHA-3 or ed25519, got ${what}`,
  );
}
