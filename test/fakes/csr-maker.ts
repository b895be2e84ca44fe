// Makes certificate signing requests of every kind, those that no honest tool makes among them.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bitString, der, oid, sequence, set } from './der.js';

export interface CsrWishes {
  /** Common names, each in a relative name of its own. */
  readonly commonNames?: readonly string[];
  /** The whole subject instead. */
  readonly subject?: Uint8Array;
  readonly version?: Uint8Array;
  /** Subject alternative names of type DNS, in a request for extensions. */
  readonly dns?: readonly string[];
  /** The attributes instead, each whole; undefined leaves them out. */
  readonly attributes?: readonly Uint8Array[] | undefined;
  /** P-256 where it is not given. */
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** SubjectPublicKeyInfo instead of that of the keys. */
  readonly publicKey?: Uint8Array;
  readonly digest?: string | null;
  readonly signatureAlgorithm?: Uint8Array;
  /** Changes the request after it was signed. */
  readonly tamper?: (request: Buffer) => Uint8Array;
  /** Changes what is signed. */
  readonly changeInfo?: (info: Buffer) => Uint8Array;
}

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

/** The attribute that asks for extensions, by default that of PKCS#9. */
export function extensionRequest(extensions: readonly Uint8Array[], type = '1.2.840.113549.1.9.14'): Buffer {
  return sequence(oid(type), set(sequence(...extensions)));
}

export function extension(type: string, value: Uint8Array): Buffer {
  return sequence(oid(type), der(0x04, value));
}

/** Subject alternative names of whatever type: each whole. */
export function alternativeNames(...names: readonly Uint8Array[]): Buffer {
  return extension('2.5.29.17', sequence(...names));
}

export function dnsName(name: string): Buffer {
  return der(0x82, Buffer.from(name, 'latin1'));
}

/** A relative name of one common name, by default a UTF8String. */
export function commonName(name: string | Uint8Array, tag = 0x0c): Buffer {
  return sequence(oid('2.5.4.3'), der(tag, Buffer.from(name)));
}

/** @returns DER */
export function makeCsrDer(wishes: CsrWishes = {}): Buffer {
  const { commonNames = ['n1.example.net'], keys = p256, dns, digest = 'sha256' } = wishes;
  const asked = dns ? [extensionRequest([alternativeNames(...dns.map(dnsName))])] : [];
  const attributes = 'attributes' in wishes ? wishes.attributes : asked;
  const { changeInfo = (bytes) => bytes, tamper = (bytes) => bytes } = wishes;
  const info = changeInfo(
    sequence(
      wishes.version ?? der(0x02, Buffer.of(0)),
      wishes.subject ?? sequence(...commonNames.map((name) => set(commonName(name)))),
      wishes.publicKey ?? keys.publicKey.export({ format: 'der', type: 'spki' }),
      ...(attributes ? [der(0xa0, ...attributes)] : []),
    ),
  );
  const signature = sign(digest, info, keys.privateKey);
  const request = sequence(info, wishes.signatureAlgorithm ?? ecdsaWithSha256, bitString(signature));
  return Buffer.from(tamper(request));
}

/** @returns PEM */
export function makeCsr(wishes: CsrWishes = {}): string {
  return toPem(makeCsrDer(wishes));
}

export function toPem(content: Uint8Array, label = 'CERTIFICATE REQUEST'): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** @returns the `fault` of what is thrown, or "accepted" */
export function faultIn(check: () => unknown): string {
  try {
    check();
    return 'accepted';
  } catch (error) {
    if (error instanceof Error && 'fault' in error) return String(error.fault);
    throw error;
  }
}
