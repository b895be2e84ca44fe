import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../secret.js';
import { decryptKey, encryptKey, newX25519Pair, sharedSecret } from './key-transfer.js';
import { TrustError } from './trust-error.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const plain = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const passphrase = Buffer.alloc(32, 0xa5);

function refusal(attempt: () => unknown): TrustError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof TrustError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('an exchange', () => {
  test('gives both sides the same 32 bytes', () => {
    const node = newX25519Pair();
    const provisioner = newX25519Pair();
    const secret = sharedSecret(provisioner.privateKey, node.publicKey);
    expect(secret).toHaveLength(32);
    expect(secret).toEqual(sharedSecret(node.privateKey, provisioner.publicKey));
  });

  test('every pair is another one', () => {
    expect(newX25519Pair().publicKey).not.toEqual(newX25519Pair().publicKey);
  });

  test.each([0, 31, 33])('a key of %d bytes is refused', (length) => {
    const { privateKey: ours } = newX25519Pair();
    expect(refusal(() => sharedSecret(ours, Buffer.alloc(length, 9))).fault).toBe('MALFORMED');
  });

  test('a point of low order is refused', () => {
    const { privateKey: ours } = newX25519Pair();
    for (const key of [Buffer.alloc(32), Buffer.from(`01${'00'.repeat(31)}`, 'hex')]) {
      expect(refusal(() => sharedSecret(ours, key)).fault).toBe('MALFORMED');
    }
  });
});

describe('a key that is encrypted', () => {
  test('is classic PEM, which OpenSSL reads', () => {
    const pem = encryptKey(new Secret(plain), passphrase);
    expect(pem).toMatch(
      /^-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,[0-9A-F]{32}\n\n/,
    );
    expect(createPrivateKey({ key: pem, passphrase }).export({ type: 'pkcs1', format: 'pem' })).toBe(plain);
  });

  test('comes out as it went in, whatever bytes the passphrase has', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const withNul = bytes.map((value) => Buffer.concat([Buffer.alloc(2), value.subarray(2)]));
    fc.assert(
      fc.property(fc.oneof(bytes, withNul), (secret) => {
        expect(decryptKey(encryptKey(new Secret(plain), secret), secret).reveal()).toBe(plain);
      }),
      { numRuns: 20 },
    );
  });

  test('opens with no other passphrase', () => {
    const pem = encryptKey(new Secret(plain), passphrase);
    // One in 256 looks as if its padding were right: enough of them to meet some.
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const other = Buffer.from(passphrase);
      other.writeUInt16BE(attempt, 3);
      expect(refusal(() => decryptKey(pem, other)).fault).toBe('MALFORMED');
    }
  });

  test('does not come out otherwise for a changed character', () => {
    const pem = encryptKey(new Secret(plain), passphrase);
    const [start, end] = [pem.indexOf('\n\n') + 2, pem.lastIndexOf('\n-----END')];
    fc.assert(
      fc.property(
        fc.integer({ min: start, max: end - 1 }),
        fc.constantFrom('A', 'z', '!', '-'),
        (index, other) => {
          const changed = `${pem.slice(0, index)}${other}${pem.slice(index + 1)}`;
          try {
            // CBC does not notice every change; what it lets pass must still be an RSA key, or nothing.
            expect(decryptKey(changed, passphrase).reveal()).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
          } catch (error) {
            expect(error).toBeInstanceOf(TrustError);
          }
        },
      ),
    );
  });
});

test('white space and text around a key are let pass', () => {
  const pem = encryptKey(new Secret(`Key of n1\r\n${plain.replaceAll('\n', '\r\n')}\n\n`), passphrase);
  expect(decryptKey(`\n${pem}\n`, passphrase).reveal()).toBe(plain);
});

test.each<[string, string, string, RegExp]>([
  ['PKCS#8', pkcs8, 'KEY_UNSUITABLE', /"PRIVATE KEY".*PKCS#1.*openssl rsa -traditional/],
  ['an EC key', ec.export({ type: 'sec1', format: 'pem' }).toString(), 'KEY_UNSUITABLE', /"EC PRIVATE KEY"/],
  [
    'a key that is encrypted',
    encryptKey(new Secret(plain), passphrase),
    'KEY_UNSUITABLE',
    /encrypted already/,
  ],
  ['two keys', plain + plain, 'MALFORMED', /2 PEM blocks/],
  ['no PEM', 'swordfish', 'MALFORMED', /no PEM/],
  ['nothing', '', 'MALFORMED', /no PEM/],
  ['PEM of garbage', plain.replace(/\n[^-]+\n/, '\nswordfish\n'), 'MALFORMED', /cannot be read/],
])(
  '%s is not encrypted; the message says what was expected, and does not quote it',
  (_what, key, fault, message) => {
    const error = refusal(() => encryptKey(new Secret(key), passphrase));
    expect(error.fault).toBe(fault);
    expect(error.message).toMatch(message);
    expect(`${error.message}${error.cause}`).not.toMatch(/swordfish|MII/);
  },
);

test.each<[string, string]>([
  ['a key in the clear', plain],
  ['no PEM', 'swordfish'],
  ['a header without a cipher', plain.replace('KEY-----\n', 'KEY-----\nProc-Type: 4,ENCRYPTED\n\n')],
])('%s is not decrypted', (_what, pem) => {
  expect(refusal(() => decryptKey(pem, passphrase)).fault).toBe('MALFORMED');
});
