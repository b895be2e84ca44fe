import { createPrivateKey, X509Certificate } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type IssuedCertificate, issueCertificate } from './issue-certificate.js';

const lifetime = { notBefore: new Date('2026-01-01'), notAfter: new Date('2055-02-01') };
let ca: IssuedCertificate;

beforeAll(async () => {
  ca = await issueCertificate({ commonName: 'CA of "Müller, Sons" + 1', ca: true, ...lifetime });
});

function read({ certificatePem }: IssuedCertificate): X509Certificate {
  return new X509Certificate(certificatePem);
}

test('a certificate authority is signed by itself and may sign others', () => {
  const certificate = read(ca);
  expect(certificate.ca).toBe(true);
  expect(certificate.checkIssued(certificate)).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test('what it issues names it, is signed by it and is no authority', async () => {
  const issued = read(await issueCertificate({ commonName: 'a', ...lifetime }, ca));
  expect(issued.ca).toBe(false);
  expect(issued.checkIssued(read(ca))).toBe(true);
  expect(issued.verify(read(ca).publicKey)).toBe(true);
});

test('names and usages are in it as they were asked for', async () => {
  const issued = read(
    await issueCertificate(
      {
        commonName: 'a, CN=b',
        dns: ['discovery.example.net'],
        ips: ['127.0.0.1', '::1'],
        uris: ['slipway:role:discovery'],
        usages: ['serverAuth', 'clientAuth'],
        ...lifetime,
      },
      ca,
    ),
  );
  expect(issued.subject).toBe('CN=a\\, CN=b');
  expect(issued.subjectAltName).toBe(
    'DNS:discovery.example.net, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, URI:slipway:role:discovery',
  );
  expect(issued.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  expect(new Date(issued.validFrom)).toEqual(lifetime.notBefore);
  expect(new Date(issued.validTo)).toEqual(lifetime.notAfter);
});

test('the key is P-256 in PKCS#8 and belongs to the certificate', async () => {
  const issued = await issueCertificate({ commonName: 'a', ...lifetime });
  expect(issued.keyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  const key = createPrivateKey(issued.keyPem);
  expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect(read(issued).checkPrivateKey(key)).toBe(true);
});

test('no two have the same serial number', async () => {
  const serials = await Promise.all(
    Array.from(
      { length: 10 },
      async () => read(await issueCertificate({ commonName: 'a', ...lifetime })).serialNumber,
    ),
  );
  expect(new Set(serials).size).toBe(10);
  for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
});
