import { X509Certificate } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { makeAuthority, makeCertificate, type TestCertificate } from '../../test/fakes/certificates.js';
import { leadsTo, pathFrom } from './certificate-chain.js';

let ca: TestCertificate;
let leaf: X509Certificate;

beforeAll(async () => {
  ca = await makeAuthority({ name: 'site CA' });
  leaf = new X509Certificate((await makeCertificate({ issuer: ca })).certificatePem);
});

test('a path ends with the certificate that has signed itself', () => {
  const root = new X509Certificate(ca.certificatePem);
  const path = pathFrom(leaf, [leaf, root]);
  expect(path.map(({ subject }) => subject)).toEqual([leaf.subject, root.subject]);
  expect(leadsTo(path, [root])).toBe(true);
});

test('a CA of the same name and key id, with another key, has issued nothing', async () => {
  const twin = new X509Certificate((await makeAuthority({ name: 'site CA' })).certificatePem);
  expect(pathFrom(leaf, [twin])).toEqual([leaf]);
});

test('a CA whose key is of a kind that nobody knows has issued nothing', () => {
  const ecKey = Buffer.from('06072a8648ce3d0201', 'hex');
  const der = Buffer.from(new X509Certificate(ca.certificatePem).raw);
  der[der.indexOf(ecKey) + ecKey.length - 1] = 0x7f;
  const strange = new X509Certificate(der);
  expect(pathFrom(leaf, [strange])).toEqual([leaf]);
});
