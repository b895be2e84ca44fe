import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../shared/secret.js';
import { encryptKey, newX25519Pair, sharedSecret } from '../../../shared/trust/key-transfer.js';
import { agentConfiguration } from '../../../test/fakes/agent-configurations.js';
import { makeCertificate, type TestCertificate } from '../../../test/fakes/certificates.js';
import { type Fit, fitToKeys, type NodeKeys } from './key-fit.js';
import { newEd25519Key } from './own-keys.js';

let own: TestCertificate;
let other: TestCertificate;
let sent: TestCertificate;
let keys: NodeKeys;
let seed: ReturnType<typeof newEd25519Key>;

const exchange = newX25519Pair();
const provisioner = newX25519Pair();
const passphrase = sharedSecret(provisioner.privateKey, exchange.publicKey);

beforeAll(async () => {
  seed = newEd25519Key();
  [own, other, sent] = await Promise.all([
    makeCertificate(),
    makeCertificate(),
    makeCertificate({ key: 'RSA' }),
  ]);
  keys = { seed: seed.seedHex, csrKeyPem: own.keyPem, exchange };
});

function tokenFor(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'EdDSA' })}.${part(claims)}.AA`;
}

function encrypted(certificate: TestCertificate) {
  const pem = toPkcs1(certificate.keyPem);
  return {
    keyPem: encryptKey(new Secret(pem), passphrase),
    nodeEcdhPublic: exchange.publicKey,
    provisionerEcdhPublic: provisioner.publicKey,
  };
}

function toPkcs1(pem: string): string {
  return createPrivateKey(pem).export({ format: 'pem', type: 'pkcs1' }).toString();
}

function said(fit: Fit): string {
  if (fit.ok) return 'fits';
  const { refusal } = fit;
  return refusal.reason === 'ARGUMENT_INVALID'
    ? `ARGUMENT_INVALID ${refusal.violations.map(({ field }) => field).join()}`
    : refusal.reason;
}

describe('a server token', () => {
  const askedOf = (serverJwt: string, of = keys) =>
    said(fitToKeys(agentConfiguration({ serverJwt }), 'ssl', of));

  test('fits the seed that it was made for, and no other', () => {
    const publicKey = seed.publicKey.toString('hex');
    expect(askedOf(tokenFor({ public_key: publicKey }))).toBe('fits');
    expect(askedOf(tokenFor({ public_key: publicKey.toUpperCase() }))).toBe('fits');
    expect(askedOf(tokenFor({ public_key: newEd25519Key().publicKey.toString('hex') }))).toBe('KEY_CHANGED');
    expect(askedOf(tokenFor({}))).toBe('KEY_CHANGED');
    expect(askedOf(tokenFor({ public_key: publicKey }), { ...keys, seed: undefined })).toBe('KEY_CHANGED');
  });
});

describe('a certificate', () => {
  const askedOf = (certificatePem: string, folder = 'ssl', of = keys) =>
    said(fitToKeys(agentConfiguration({ certificatePem }), folder, of));

  test('fits the key of the request that it was made for, and no other', () => {
    expect(askedOf(own.certificatePem)).toBe('fits');
    // What stands first counts: what follows is the way to the CA.
    expect(askedOf(own.certificatePem + other.certificatePem)).toBe('fits');
    expect(askedOf(other.certificatePem + own.certificatePem)).toBe('KEY_CHANGED');
    expect(askedOf(own.certificatePem, 'ssl', { ...keys, csrKeyPem: undefined })).toBe('KEY_CHANGED');
  });

  test('does not fit where there is no key beside it', () => {
    expect(askedOf(own.certificatePem, 'etc/site/ssl')).toBe('KEY_CHANGED');
  });
});

describe('a private key', () => {
  const askedOf = (changes: Parameters<typeof agentConfiguration>[0], of = keys) =>
    fitToKeys(agentConfiguration(changes), 'etc/site/ssl', of);

  test('is decrypted, and fits the certificate that came with it', () => {
    const fit = askedOf({ ...encrypted(sent), certificatePem: sent.certificatePem });
    expect(fit).toEqual({ ok: true, privateKeyPem: toPkcs1(sent.keyPem) });
    expect(said(askedOf({ ...encrypted(sent), certificatePem: own.certificatePem }))).toBe('KEY_CHANGED');
  });

  test('that was encrypted to another key pair does not fit', () => {
    const toAnother = { ...encrypted(sent), nodeEcdhPublic: newX25519Pair().publicKey };
    expect(said(askedOf(toAnother))).toBe('KEY_CHANGED');
    expect(said(askedOf(encrypted(sent), { ...keys, exchange: undefined }))).toBe('KEY_CHANGED');
    expect(said(askedOf({ nodeEcdhPublic: newX25519Pair().publicKey }))).toBe('KEY_CHANGED');
  });

  test('that cannot be decrypted is a bad argument', () => {
    const otherSecret = { ...encrypted(sent), provisionerEcdhPublic: newX25519Pair().publicKey };
    expect(said(askedOf(otherSecret))).toBe('ARGUMENT_INVALID key_pem');
  });

  test('of another kind than RSA is a bad argument', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keyPem = privateKey
      .export({ format: 'pem', type: 'sec1', cipher: 'aes-256-cbc', passphrase })
      .toString();
    expect(said(askedOf({ ...encrypted(sent), keyPem }))).toBe('ARGUMENT_INVALID key_pem');
  });
});
