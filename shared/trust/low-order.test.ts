import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newX25519Pair, sharedSecret } from './key-transfer.js';
import { isOfLowOrder } from './low-order.js';

const p = (1n << 255n) - 19n;

/** Little-endian, 32 bytes. */
function encode(coordinate: bigint): Buffer {
  return Buffer.from(coordinate.toString(16).padStart(64, '0'), 'hex').reverse();
}

const candidates: Buffer[] = [
  ...[0n, 1n, 2n, 9n, p - 2n, p - 1n, p, p + 1n, p + 2n, p + 18n].map(encode),
  Buffer.from('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'hex'),
  Buffer.from('5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157', 'hex'),
];

function withHighBit(key: Buffer): Buffer {
  const changed = Buffer.from(key);
  changed[31] = (changed[31] ?? 0) | 0x80;
  return changed;
}

function exchangeRefuses(key: Buffer): boolean {
  try {
    sharedSecret(newX25519Pair().privateKey, key);
    return false;
  } catch {
    return true;
  }
}

test.each([
  ...candidates,
  ...candidates.map(withHighBit),
  ...Array.from({ length: 20 }, () => randomBytes(32)),
])('what is said of %# is what an exchange does', (key) =>
  expect(isOfLowOrder(key)).toBe(exchangeRefuses(key)),
);
