// A private key on its way to a node: classic encrypted PEM under the secret of an X25519 exchange (design,
// section 8).

import { createPrivateKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Secret } from '../secret.js';
import { pemBlocks } from './pem.js';
import { publicKeyFromRaw, rawPublicKey } from './raw-keys.js';
import { TrustError } from './trust-error.js';

export interface X25519Pair {
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Buffer;
}

export function newX25519Pair(): X25519Pair {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return { privateKey, publicKey: rawPublicKey(publicKey) };
}

/**
 * The raw shared secret, 32 bytes.
 *
 * @param theirs the peer's public key
 * @throws TrustError MALFORMED where it has not 32 bytes or is a point of low order
 */
export function sharedSecret(ours: KeyObject, theirs: Uint8Array): Buffer {
  const publicKey = publicKeyFromRaw('x25519', theirs);
  let secret: Buffer;
  try {
    secret = diffieHellman({ privateKey: ours, publicKey });
  } catch (error) {
    throw new TrustError('MALFORMED', 'the x25519 key is a point of low order', { cause: error });
  }
  // RFC 7748, section 6.1. OpenSSL looks for itself; this does not depend on it.
  if (secret.every((byte) => byte === 0)) {
    throw new TrustError('MALFORMED', 'the x25519 key is a point of low order');
  }
  return secret;
}

/**
 * Encrypts a private key: `Proc-Type: 4,ENCRYPTED`, AES-256-CBC, PKCS#1.
 *
 * @param key PEM of an RSA key, PKCS#1
 * @param passphrase the shared secret
 * @throws TrustError KEY_UNSUITABLE, MALFORMED; the message says what was expected and never quotes the key
 */
export function encryptKey(key: Secret, passphrase: Uint8Array): string {
  const pem = onlyBlock(key.reveal());
  if (isEncrypted(pem)) {
    throw new TrustError(
      'KEY_UNSUITABLE',
      `the key is encrypted already; it must come in the clear, ${expectation}`,
    );
  }
  const parsed = parse({ key: pem }, 'the key cannot be read');
  return parsed
    .export({
      type: 'pkcs1',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: Buffer.from(passphrase),
    })
    .toString();
}

/**
 * Decrypts and parses what {@link encryptKey} or another maker of classic encrypted PEM wrote.
 *
 * @returns PEM, PKCS#1
 * @throws TrustError MALFORMED: no such PEM, not encrypted, another passphrase; KEY_UNSUITABLE: no PKCS#1
 */
export function decryptKey(text: string, passphrase: Uint8Array): Secret {
  const pem = onlyBlock(text);
  if (!isEncrypted(pem)) throw new TrustError('MALFORMED', 'the key is not encrypted');
  const parsed = parse(
    { key: pem, passphrase: Buffer.from(passphrase) },
    'the key cannot be decrypted: it is damaged, or was encrypted with another passphrase',
  );
  return new Secret(parsed.export({ type: 'pkcs1', format: 'pem' }).toString());
}

const label = 'RSA PRIVATE KEY';
const expectation = `PEM of an RSA key in PKCS#1 ("BEGIN ${label}"; openssl rsa -traditional makes it of other PEM of RSA)`;

/** The one PEM block of the text, which must be of the right kind. */
function onlyBlock(text: string): string {
  const blocks = pemBlocks(text);
  const [block] = blocks;
  if (block === undefined) throw new TrustError('MALFORMED', `the key is no PEM; expected ${expectation}`);
  if (blocks.length > 1) {
    throw new TrustError('MALFORMED', `${blocks.length} PEM blocks instead of one; expected ${expectation}`);
  }
  if (block.label !== label) {
    throw new TrustError(
      'KEY_UNSUITABLE',
      `the key is a PEM block "${block.label}"; expected ${expectation}`,
    );
  }
  return block.text;
}

/** RFC 1421, section 4.6.1.1, as OpenSSL and Go write it. */
function isEncrypted(pem: string): boolean {
  return /^Proc-Type:[ \t]*4,[ \t]*ENCRYPTED[ \t]*\r?$/m.test(pem);
}

/** OpenSSL's own words stay out of the message: they name the decoder, not what is wrong. */
function parse(input: { key: string; passphrase?: Buffer }, complaint: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ ...input, format: 'pem' });
  } catch {
    throw new TrustError('MALFORMED', complaint);
  }
  if (key.asymmetricKeyType !== 'rsa') throw new TrustError('MALFORMED', complaint);
  return key;
}
