import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  faultOf,
  issuedAt,
  provisionerClaims,
  publicOf,
  seeds,
  signingToken,
} from '../../test/fakes/organization.js';
import { newKsuid } from './ksuid.js';
import { createServerTokenIssuer } from './server-token.js';

describe('an issuer is not made', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsaPem = rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const encrypted = rsa.privateKey.export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: 'p',
  });

  test.each<[string, string, string, RegExp]>([
    ['nothing', '', 'MALFORMED', /neither PEM nor the 64 hex digits/],
    ['short hex', seeds.organization.slice(2), 'MALFORMED', /64 hex digits/],
    ['a seed with its public key', seeds.organization.repeat(2), 'KEY_UNSUITABLE', /first 64/],
    [
      'a public key',
      rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      'KEY_UNSUITABLE',
      /private key/,
    ],
    ['two keys', rsaPem + rsaPem, 'MALFORMED', /one PEM block, not 2/],
    ['an encrypted key', encrypted.toString(), 'KEY_UNSUITABLE', /in the clear/],
    ['RSA of 1024 bits', small.export({ format: 'pem', type: 'pkcs8' }).toString(), 'KEY_UNSUITABLE', /1024/],
    ['PEM of garbage', rsaPem.replace(/\n[^-]+\n/, '\nswordfish\n'), 'MALFORMED', /cannot be read/],
  ])('of %s', async (_what, signingKey, fault, message) => {
    const making = () => createServerTokenIssuer(signingKey, undefined, issuedAt);
    expect(await faultOf(making)).toBe(fault);
    expect(making).toThrow(message);
    expect(making).not.toThrow(/swordfish|0101|MII/);
  });

  test.each<[string, object, string, RegExp]>([
    ['of another purpose', { purpose: 'choria_server' }, 'PURPOSE', /client token/],
    ['without an id', { jti: undefined }, 'CLAIM', /no jti/],
    ['without a key', { public_key: '' }, 'CLAIM', /no public_key/],
    ['without a chain signature', { tcs: undefined }, 'CLAIM', /no tcs/],
    ['without an expiry', { exp: null }, 'CLAIM', /no exp/],
    ['for another key', { public_key: publicOf(seeds.node) }, 'CHAIN', /another key.*give the seed/],
    ['that has expired', { exp: issuedAt }, 'EXPIRED', /expired at .*get a new one/],
    ['that is not valid yet', { nbf: issuedAt + 1 }, 'NOT_YET_VALID', /not valid before/],
    ['of an issuer that is no organisation', { iss: 'Choria' }, 'CHAIN', /I-/],
    ['that is itself of a chain', { iss: `C-x.${publicOf(seeds.node)}`, tcs: 'a.b' }, 'CHAIN', /I-/],
    [
      'that the organisation in it did not sign',
      { iss: `I-${publicOf(seeds.node)}` },
      'CHAIN',
      /did not|not one that/,
    ],
    ['with a chain signature for another id', { jti: newKsuid(issuedAt) }, 'CHAIN', /not one that/],
  ])('under a signing token %s', async (_what, own, fault, message) => {
    const token = await signingToken(own);
    const making = () => createServerTokenIssuer(seeds.provisioner, token, issuedAt);
    expect(await faultOf(making)).toBe(fault);
    expect(making).toThrow(message);
  });

  test('under a signing token that was changed', async () => {
    const [header, , signature] = (await signingToken()).split('.');
    const payload = Buffer.from(JSON.stringify({ ...provisionerClaims, exp: 4_100_000_000 })).toString(
      'base64url',
    );
    const making = () =>
      createServerTokenIssuer(seeds.provisioner, [header, payload, signature].join('.'), issuedAt);
    expect(await faultOf(making)).toBe('SIGNATURE');
  });

  test('of an RSA key under a signing token', async () => {
    const token = await signingToken();
    expect(() => createServerTokenIssuer(rsaPem, token, issuedAt)).toThrow(
      /ed25519 key that the token was made for/,
    );
  });

  test('under what is no token', () => {
    expect(() => createServerTokenIssuer(seeds.provisioner, 'x', issuedAt)).toThrow(
      /^the signing token cannot be read: /,
    );
  });
});
