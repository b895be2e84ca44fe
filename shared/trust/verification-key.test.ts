import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueCertificate } from './issue-certificate.js';
import { rawPublicKey, rawSeed } from './raw-keys.js';
import { TrustError } from './trust-error.js';
import { parseVerificationKey } from './verification-key.js';
import { X509CertificateGenerator } from './x509.js';

const ed25519 = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const hex = rawPublicKey(ed25519.publicKey).toString('hex');

function spki(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'spki' }).toString();
}

async function certificateFor(key: KeyObject): Promise<string> {
  const issuer = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=signer',
    notAfter: new Date('2020-01-01'),
    notBefore: new Date('2019-01-01'),
    publicKey: key.export({ format: 'der', type: 'spki' }),
    signingKey: issuer.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  return certificate.toString('pem');
}

test.each([
  ['hex', hex],
  ['hex in upper case', hex.toUpperCase()],
  ['hex with a line break', `${hex}\n`],
  ['PEM', spki(ed25519.publicKey)],
])('an ed25519 key as %s allows EdDSA alone', (_form, text) => {
  const { key, algorithms } = parseVerificationKey(text);
  expect(algorithms).toEqual(['EdDSA']);
  expect(key.equals(ed25519.publicKey)).toBe(true);
});

test.each([
  ['SPKI', spki(rsa.publicKey)],
  ['PKCS#1', rsa.publicKey.export({ format: 'pem', type: 'pkcs1' }).toString()],
  ['SPKI with text around it', `the key of 2026\n${spki(rsa.publicKey).replaceAll('\n', '\r\n')}\n\n`],
])('an RSA key as %s allows its three algorithms', (_form, text) => {
  const { key, algorithms } = parseVerificationKey(text);
  expect(algorithms).toEqual(['RS256', 'RS384', 'RS512']);
  expect(key.equals(rsa.publicKey)).toBe(true);
});

test('of a certificate the key counts, whoever issued it and whenever it was valid', async () => {
  for (const { publicKey } of [rsa, ed25519]) {
    const pem = await certificateFor(publicKey);
    expect(parseVerificationKey(pem).key.equals(publicKey)).toBe(true);
    expect(new X509Certificate(pem).validTo).toContain('2020');
  }
});

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });

test.each<[string, string, string, RegExp]>([
  ['nothing', ' \n', 'MALFORMED', /empty/],
  ['a word', 'swordfish', 'MALFORMED', /neither PEM nor the 64 hex digits/],
  ['hex that is short', hex.slice(2), 'MALFORMED', /64 hex digits/],
  ['hex that is long', `${hex}00`, 'MALFORMED', /64 hex digits/],
  ['hex with a letter too far', `${hex.slice(1)}g`, 'MALFORMED', /neither/],
  ['a point that is none', '00'.repeat(32), 'MALFORMED', /low order/],
  ['PEM without an end', spki(rsa.publicKey).slice(0, 200), 'MALFORMED', /no end/],
  [
    'PEM of garbage',
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
    'MALFORMED',
    /cannot be read/,
  ],
  ['two keys', spki(rsa.publicKey) + spki(ed25519.publicKey), 'MALFORMED', /2 PEM blocks/],
  ['RSA of 1024 bits', spki(small.publicKey), 'KEY_UNSUITABLE', /1024 bits/],
  ['RSA-PSS', spki(pss.publicKey), 'KEY_UNSUITABLE', /rsa-pss/],
  ['P-256', spki(p256.publicKey), 'KEY_UNSUITABLE', /type ec/],
  [
    'a seed with its public key',
    rawSeed(ed25519.privateKey).toString('hex') + hex,
    'KEY_UNSUITABLE',
    /last 64/,
  ],
  ['another PEM', '-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----', 'KEY_UNSUITABLE', /"X509 CRL"/],
])('%s is refused', (_what, text, fault, message) => {
  expect(() => parseVerificationKey(text)).toThrow(expect.objectContaining({ name: 'TrustError', fault }));
  expect(() => parseVerificationKey(text)).toThrow(message);
});

test('a private key is refused by name, and not quoted', async () => {
  const { keyPem } = await issueCertificate({
    commonName: 'a',
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2027-01-01'),
  });
  for (const text of [keyPem, rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString()]) {
    try {
      parseVerificationKey(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(TrustError);
      expect(String(error)).toMatch(/private key; give the public key/);
      expect(String(error)).not.toContain(text.split('\n')[1]);
    }
  }
});
