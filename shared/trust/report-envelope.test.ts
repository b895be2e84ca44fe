import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { issueCertificate } from './issue-certificate.js';
import { certificateSha256, ReportVerifier, signReport } from './report-envelope.js';
import { TrustError } from './trust-error.js';
import { X509CertificateGenerator } from './x509.js';

const lifetime = { notBefore: new Date('2026-01-01'), notAfter: new Date('2026-02-01') };
const report = Buffer.from('a report');

interface Boot {
  readonly certificate: Buffer;
  readonly key: KeyObject;
}

async function boot(): Promise<Boot> {
  const { certificatePem, keyPem } = await issueCertificate({ commonName: 'n1.example.net', ...lifetime });
  return { certificate: new X509Certificate(certificatePem).raw, key: createPrivateKey(keyPem) };
}

/** A certificate for any public key, signed by some other one: who issued it does not matter. */
async function certificateFor(publicKey: KeyObject): Promise<Buffer> {
  const issuer = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const certificate = await X509CertificateGenerator.create({
    ...lifetime,
    subject: 'CN=n1',
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    signingKey: issuer.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
  });
  return Buffer.from(certificate.rawData);
}

/** Its modulus and exponent are both 3072 bits of ones. */
function slowRsaKey(): KeyObject {
  const number = Buffer.alloc(384, 0xff).toString('base64url');
  return createPublicKey({ format: 'jwk', key: { kty: 'RSA', n: number, e: number } });
}

function faultOf(attempt: () => unknown): string {
  try {
    attempt();
    return 'none';
  } catch (error) {
    if (error instanceof TrustError) return error.fault;
    throw error;
  }
}

/** Without memory. */
function verifyReport(...envelope: Parameters<ReportVerifier['verify']>): void {
  new ReportVerifier(0).verify(...envelope);
}

let one: Boot;
let other: Boot;

beforeAll(async () => {
  one = await boot();
  other = await boot();
});

test('the hash of a certificate is the SHA-256 of its DER', () => {
  const { fingerprint256 } = new X509Certificate(one.certificate);
  expect(certificateSha256(one.certificate)).toBe(fingerprint256.replaceAll(':', '').toLowerCase());
});

test('a report is good with the signature of the key of its certificate, and no other', () => {
  verifyReport(report, one.certificate, signReport(report, one.key));
  expect(faultOf(() => verifyReport(report, one.certificate, signReport(report, other.key)))).toBe(
    'SIGNATURE',
  );
  expect(faultOf(() => verifyReport(report, other.certificate, signReport(report, one.key)))).toBe(
    'SIGNATURE',
  );
});

test('a signature made for something else is no signature of a report', () => {
  const signature = signReport(Buffer.from('of something else'), one.key);
  expect(faultOf(() => verifyReport(report, one.certificate, signature))).toBe('SIGNATURE');
});

test.each([
  ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
  ['ed25519', generateKeyPairSync('ed25519')],
  ['RSA of 2048 bits', generateKeyPairSync('rsa', { modulusLength: 2048 })],
])('a boot key may be %s', async (_kind, { publicKey, privateKey }) => {
  const certificate = await certificateFor(publicKey);
  verifyReport(report, certificate, signReport(report, privateKey));
});

test.each([
  ['RSA of 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 })],
  ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
  ['ed448', generateKeyPairSync('ed448')],
  ['x25519', generateKeyPairSync('x25519')],
  ['RSA with an exponent as long as its modulus', { publicKey: slowRsaKey() }],
])('a boot key must not be %s', async (_kind, { publicKey }) => {
  const certificate = await certificateFor(publicKey);
  expect(faultOf(() => verifyReport(report, certificate, Buffer.alloc(64)))).toBe('KEY_UNSUITABLE');
});

describe('a certificate that cannot be read is malformed', () => {
  test.each<[string, () => Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['PEM', () => Buffer.from(new X509Certificate(one.certificate).toString())],
    ['more bytes after it', () => Buffer.concat([one.certificate, Buffer.from([0])])],
    ['half of it', () => one.certificate.subarray(0, 100)],
    ['a megabyte', () => Buffer.alloc(2 ** 20)],
  ])('%s', (_what, make) => {
    expect(faultOf(() => verifyReport(report, make(), Buffer.alloc(64)))).toBe('MALFORMED');
  });
});

test('no signature with another byte is good, and nothing but a TrustError is ever thrown', () => {
  const signature = signReport(report, one.key);
  fc.assert(
    fc.property(fc.nat({ max: signature.length - 1 }), fc.integer({ min: 1, max: 255 }), (index, change) => {
      const changed = Buffer.from(signature);
      changed[index] = (changed[index] ?? 0) ^ change;
      expect(faultOf(() => verifyReport(report, one.certificate, changed))).toBe('SIGNATURE');
    }),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 600 }),
      fc.uint8Array({ maxLength: 100 }),
      (certificate, bytes) => {
        expect(faultOf(() => verifyReport(report, certificate, bytes))).toBe('MALFORMED');
      },
    ),
  );
});

describe('a verifier that remembers', () => {
  test('answers as without memory, and says whose certificate it was', () => {
    const verifier = new ReportVerifier(1);
    for (const { certificate, key } of [one, one, other, one]) {
      const hash = verifier.verify(report, certificate, signReport(report, key));
      expect(hash).toBe(certificateSha256(certificate));
    }
  });

  test('believes no signature for having seen the certificate', () => {
    const verifier = new ReportVerifier(10);
    verifier.verify(report, one.certificate, signReport(report, one.key));
    const wrong = signReport(report, other.key);
    expect(faultOf(() => verifier.verify(report, one.certificate, wrong))).toBe('SIGNATURE');
  });
});
