// X25519 public keys with which every exchange gives the same secret, whoever's key the other one is.

/** Little-endian u-coordinates of all points of low order, canonical or not; the highest bit does not count. */
const points: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/**
 * Tells without an exchange what one would refuse (RFC 7748, section 6.1), for keys that may never be used.
 *
 * @param publicKey 32 bytes
 */
export function isOfLowOrder(publicKey: Uint8Array): boolean {
  const bytes = Buffer.from(publicKey);
  bytes[31] = (bytes[31] ?? 0) & 0x7f;
  return points.has(bytes.toString('hex'));
}
