import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { publicOf, seeds } from '../../test/fakes/organization.js';
import { Secret } from '../secret.js';
import { mintProvisioningToken, type NewProvisioningToken } from './mint-provisioning-token.js';
import { verifyProvisioningToken } from './provisioning-token.js';
import { parseSigningKey } from './signing-key.js';
import { parseVerificationKey } from './verification-key.js';

const now = 1_796_000_000;
const signer = parseSigningKey(seeds.organization);
const key = parseVerificationKey(publicOf(seeds.organization));

const whole: NewProvisioningToken = {
  secret: new Secret('s3<cret>&'),
  expiresAt: now + 100,
  provisioningByDefault: true,
  caSha256: 'ab'.repeat(32),
  organization: 'acme',
  extensions: { region: 'eu' },
  secure: true,
  urls: ['nats://a:4222', 'nats://b:4222'],
  srvDomain: 'example.net',
  registrationFile: '/r.json',
  factsFile: '/f.json',
  username: 'user',
  password: new Secret('pw'),
  protocolV2: true,
  allowUpdate: true,
};

function payloadOf(token: string): string {
  return Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
}

test("has every claim where Choria's own tools have it", async () => {
  const token = await mintProvisioningToken(whole, signer, now);
  expect(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).toBe('{"alg":"EdDSA","typ":"JWT"}');
  expect(payloadOf(token)).toMatch(
    new RegExp(
      `^{"cht":"s3\\\\u003ccret\\\\u003e\\\\u0026","chs":true,"chu":"nats://a:4222,nats://b:4222","chsrv":"example.net","chpd":true,"chrd":"/r.json","chf":"/f.json","chusr":"user","chpwd":"pw","extensions":{"region":"eu","slipway_ca_sha256":"${'ab'.repeat(32)}"},"ou":"acme","v2":true,"update":true,"purpose":"choria_provisioning","iss":"Choria Tokens Package","sub":"choria_provisioning","exp":${now + 100},"nbf":${now},"iat":${now},"jti":"[0-9A-Za-z]{27}"}$`,
    ),
  );
});

test('leaves out what was not said', async () => {
  expect(payloadOf(await mintProvisioningToken({ secret: new Secret('s') }, signer, now))).toMatch(
    /^{"cht":"s","chs":false,"chpd":false,"extensions":null,"ou":"choria","purpose":"choria_provisioning",/,
  );
});

test('is good under the key that it was signed with, ed25519 or RSA', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsa = parseSigningKey(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  const rsaKey = parseVerificationKey(publicKey.export({ format: 'pem', type: 'spki' }).toString());
  for (const [signingKey, verificationKey] of [
    [signer, key],
    [rsa, rsaKey],
  ] as const) {
    const token = await mintProvisioningToken(whole, signingKey, now);
    const got = await verifyProvisioningToken(token, verificationKey, now);
    expect(got.secret?.reveal()).toBe('s3<cret>&');
  }
});
