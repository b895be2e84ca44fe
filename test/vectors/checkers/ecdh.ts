// ecdh.json: X25519 exchanges, points that none may be made with, and keys encrypted under what came of one.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { Secret } from '../../../shared/secret.js';
import { decodeHex } from '../../../shared/trust/hex.js';
import { decryptKey, encryptKey, sharedSecret } from '../../../shared/trust/key-transfer.js';
import { checker, same, together, type Verdict, within } from '../checker.js';
import { outcome, refusedFor } from './trust-verdict.js';

const exchange = z.object({
  source: z.string(),
  a_private: z.string(),
  a_public: z.string(),
  b_private: z.string(),
  b_public: z.string(),
  shared: z.string(),
});

const exchanges = checker(
  exchange,
  ({ source, a_public: a }) => `exchange: ${source}, ${a.slice(0, 8)}`,
  (vector) => {
    const secret = (own: string, theirs: string) =>
      sharedSecret(privateKey(own), Buffer.from(theirs, 'hex')).toString('hex');
    const { a_private: a, b_private: b } = vector;
    return same(
      { fromA: vector.shared, fromB: vector.shared, a: vector.a_public, b: vector.b_public },
      {
        fromA: secret(a, vector.b_public),
        fromB: secret(b, vector.a_public),
        a: publicOf(a),
        b: publicOf(b),
      },
    );
  },
);

const refused = checker(
  z.object({ a_private: z.string(), b_public: z.string(), why: z.string() }),
  ({ why, b_public: key }) => `refused: ${why} (${key.slice(0, 8)})`,
  ({ a_private: own, b_public: theirs }) => {
    // As bytes where it can be, which is how a call carries it: then its length is the exchange's to look at.
    const isHex = /^(?:[0-9a-f]{2})*$/i.test(theirs);
    return refusedFor(['MALFORMED'], () =>
      sharedSecret(privateKey(own), isHex ? Buffer.from(theirs, 'hex') : decodeHex(theirs, 32, 'the key')),
    );
  },
  { cases: 'reject' },
);

const encrypted = within(
  z.object({ encrypted_pem: z.unknown() }),
  (file) => file.encrypted_pem,
  checker(
    z.object({ maker: z.string(), passphrase_hex: z.string(), pem: z.string() }),
    ({ maker }) => `encrypted by ${maker}`,
    async ({ passphrase_hex: hex, pem }, { plain_pkcs1_pem: plain, wrong_passphrase_hex: wrong }) => {
      const passphrase = Buffer.from(hex, 'hex');
      const decrypted = same(plain, decryptKey(pem, passphrase).reveal());
      if (decrypted.kind !== 'PASSED') return decrypted;
      const other = await refusedFor(['MALFORMED'], () => decryptKey(pem, Buffer.from(wrong, 'hex')));
      return other.kind === 'PASSED' ? encryptedAgain(plain, passphrase) : other;
    },
    { cases: 'files', shape: z.object({ plain_pkcs1_pem: z.string(), wrong_passphrase_hex: z.string() }) },
  ),
);

/** What the service encrypts itself, others read. */
async function encryptedAgain(plain: string, passphrase: Buffer): Promise<Verdict> {
  const made = await outcome(() => encryptKey(new Secret(plain), passphrase));
  if ('fault' in made) return { kind: 'FAILED', message: `cannot encrypt it again: ${made.fault}` };
  const key = createPrivateKey({ key: made.value, passphrase });
  return same(plain, key.export({ type: 'pkcs1', format: 'pem' }));
}

function privateKey(hex: string): KeyObject {
  const prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');
  return createPrivateKey({
    key: Buffer.concat([prefix, Buffer.from(hex, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
}

function publicOf(hex: string): string {
  const { x = '' } = createPublicKey(privateKey(hex)).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('hex');
}

export const ecdh = together(exchanges, refused, encrypted);
