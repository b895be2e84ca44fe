import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type CsrWishes, faultIn, makeCsr } from '../../../test/fakes/csr-maker.js';
import { bitString, der, oid, sequence } from '../../../test/fakes/der.js';
import { checkCsr } from './csr.js';
import { parseDenyList } from './deny-list.js';

const identity = 'n1.example.net';
const nothingDenied = parseDenyList([]);

function faultOf(wishes: CsrWishes, name = identity): string {
  return faultIn(() => checkCsr(makeCsr(wishes), name, nothingDenied));
}

describe('the key', () => {
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
  const sha256Rsa = sequence(oid('1.2.840.113549.1.1.11'), der(0x05));

  test.each([
    ['P-384', '1.2.840.10045.4.3.3', 'sha384'],
    ['P-521', '1.2.840.10045.4.3.4', 'sha512'],
  ])('may be on %s', (namedCurve, type, digest) => {
    const keys = generateKeyPairSync('ec', { namedCurve });
    expect(faultOf({ keys, digest, signatureAlgorithm: sequence(oid(type)) })).toBe('accepted');
  });

  test.each([
    [2047, 'KEY'],
    [2048, 'accepted'],
  ])('of RSA with %i bits is %s', (bits, fault) => {
    expect(faultOf({ keys: rsa(bits), signatureAlgorithm: sha256Rsa })).toBe(fault);
  });

  test.each([
    ['more than 8192 bits', Buffer.alloc(1025, 0x7f), Buffer.of(1, 0, 1)],
    ['60,000 bytes', Buffer.alloc(30_000, 0x7f), Buffer.of(1, 0, 1)],
    ['a negative modulus', Buffer.alloc(256, 0xf0), Buffer.of(1, 0, 1)],
    ['the exponent 1', Buffer.alloc(256, 0x7f), Buffer.of(1)],
    ['an even exponent', Buffer.alloc(256, 0x7f), Buffer.of(2)],
    ['an exponent of 33 bits', Buffer.alloc(256, 0x7f), Buffer.of(1, 0, 0, 0, 1)],
    ['an exponent of 8192 bits', Buffer.alloc(256, 0x7f), Buffer.alloc(1024, 0x7f)],
  ])('of RSA with %s is refused', (_what, modulus, exponent) => {
    const numbers = sequence(der(0x02, modulus), der(0x02, exponent));
    const publicKey = sequence(sequence(oid('1.2.840.113549.1.1.1'), der(0x05)), bitString(numbers));
    expect(faultOf({ publicKey, signatureAlgorithm: sha256Rsa })).toBe('KEY');
  });

  test.each([
    ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
    ['P-224', generateKeyPairSync('ec', { namedCurve: 'secp224r1' })],
    ['explicit parameters', generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' })],
    ['ed448', { ...generateKeyPairSync('ed448'), digest: null }],
    ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
  ])('of %s is refused', (_what, keys) => {
    expect(faultOf({ keys, digest: 'digest' in keys ? null : 'sha256' })).toBe('KEY');
  });

  test('that is no point of its curve is refused', () => {
    const point = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]);
    const type = sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'));
    expect(faultOf({ publicKey: sequence(type, bitString(point)) })).toBe('KEY');
  });

  test('with a compressed point is refused: nothing of Choria reads it', () => {
    const point = Buffer.concat([Buffer.of(2), Buffer.alloc(32, 1)]);
    const type = sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'));
    expect(faultOf({ publicKey: sequence(type, bitString(point)) })).toBe('KEY');
  });
});

describe('the signature', () => {
  test('by another key is refused', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(faultOf({ publicKey: other.publicKey.export({ format: 'der', type: 'spki' }) })).toBe('SIGNATURE');
  });

  test('over something else is refused', () => {
    const swapped = (request: Buffer) =>
      Buffer.from(request.toString('latin1').replace('n1.', 'n2.'), 'latin1');
    expect(faultOf({ tamper: swapped }, 'n2.example.net')).toBe('SIGNATURE');
  });

  test.each([
    ['1.2.840.10045.4.1', 'sha1'],
    ['1.2.3.4', 'sha256'],
    // RSA, and the key is none.
    ['1.2.840.113549.1.1.11', 'sha256'],
    ['1.3.101.112', 'sha256'],
  ])('of the algorithm %s is refused', (type, digest) => {
    expect(faultOf({ digest, signatureAlgorithm: sequence(oid(type)) })).toBe('SIGNATURE_ALGORITHM');
  });

  test('with SHA-1 is refused, also in RSA-PSS, where it is what is left out', () => {
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const sha1Rsa = sequence(oid('1.2.840.113549.1.1.5'), der(0x05));
    const pss = sequence(oid('1.2.840.113549.1.1.10'), sequence());
    expect(faultOf({ keys, digest: 'sha1', signatureAlgorithm: sha1Rsa })).toBe('SIGNATURE_ALGORITHM');
    expect(faultOf({ keys, digest: 'sha1', signatureAlgorithm: pss })).toBe('SIGNATURE_ALGORITHM');
  });
});
