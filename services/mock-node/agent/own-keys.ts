// Makes the keys that a node makes itself: an ed25519 key, and an RSA key with its certificate signing request.

import {
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  webcrypto,
} from 'node:crypto';
import { promisify } from 'node:util';
import { rawPublicKey, rawSeed } from '../../../shared/trust/raw-keys.js';
import { Name, Pkcs10CertificateRequestGenerator } from '../../../shared/trust/x509.js';

export interface Ed25519Key {
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** 64 lower case hex digits: what server.seed holds. */
  readonly seedHex: string;
}

export function newEd25519Key(): Ed25519Key {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    privateKey,
    publicKey: rawPublicKey(privateKey),
    seedHex: rawSeed(privateKey).toString('hex'),
  };
}

/** Whom a certificate is asked for; an empty text is left out. */
export interface CsrSubject {
  readonly commonName: string;
  /** Two letters. */
  readonly country: string;
  readonly province: string;
  readonly locality: string;
  readonly organization: string;
  readonly organizationalUnit: string;
}

export interface CsrWithKey {
  /** PKCS#10, signed with SHA-256. */
  readonly csrPem: string;
  readonly publicKeyPem: string;
  /** RSA, 2048 bits, PKCS#1. */
  readonly privateKeyPem: string;
}

/** @param signal aborted when nobody waits for the request any more */
export type NewCsr = (subject: CsrSubject, signal: AbortSignal) => Promise<CsrWithKey>;

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/** Making the key keeps a thread of the pool busy for a tenth of a second and more, but not the event loop. */
export async function newCsr(subject: CsrSubject): Promise<CsrWithKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const publicKey = createPublicKey(privateKey);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: nameOf(subject),
    keys: {
      privateKey: await webcrypto.subtle.importKey(
        'pkcs8',
        privateKey.export({ format: 'der', type: 'pkcs8' }),
        algorithm,
        false,
        ['sign'],
      ),
      publicKey: await webcrypto.subtle.importKey(
        'spki',
        publicKey.export({ format: 'der', type: 'spki' }),
        algorithm,
        true,
        ['verify'],
      ),
    },
    signingAlgorithm: algorithm,
  });
  return {
    csrPem: `${request.toString('pem').trimEnd()}\n`,
    publicKeyPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    privateKeyPem: privateKey.export({ format: 'pem', type: 'pkcs1' }).toString(),
  };
}

/** The types of strings are given: of a bare string the library would take what stands in quotes. */
function nameOf(subject: CsrSubject): Name {
  const parts = [
    ['C', { printableString: subject.country }],
    ['ST', { utf8String: subject.province }],
    ['L', { utf8String: subject.locality }],
    ['O', { utf8String: subject.organization }],
    ['OU', { utf8String: subject.organizationalUnit }],
    ['CN', { utf8String: subject.commonName }],
  ] as const;
  const given = parts.filter(([, value]) => Object.values(value).join('') !== '');
  return new Name(given.map(([type, value]) => ({ [type]: [value] })));
}
