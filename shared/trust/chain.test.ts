import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  faultOf,
  issuedAt,
  provisionerClaims,
  publicOf,
  seeds,
  signatureBy,
} from '../../test/fakes/organization.js';
import { newKsuid } from './ksuid.js';
import { verifyServerToken } from './server-token.js';
import { parseSigningKey, signToken } from './signing-key.js';
import { parseVerificationKey } from './verification-key.js';

const key = parseVerificationKey(publicOf(seeds.organization));

describe('a token of a chain is refused', () => {
  const id = newKsuid(issuedAt);
  const chain = `${provisionerClaims.tcs}.${signatureBy(seeds.provisioner, `${id}.${provisionerClaims.tcs}`)}`;
  const good = {
    identity: 'n1.example.net',
    collectives: ['choria'],
    purpose: 'choria_server',
    tcs: chain,
    public_key: publicOf(seeds.node),
    issexp: 4_000_000_000,
    iss: `C-${provisionerClaims.jti}.${publicOf(seeds.provisioner)}`,
    exp: issuedAt + 100,
    nbf: issuedAt,
    iat: issuedAt,
    jti: id,
  };

  function made(own: object, signer = seeds.provisioner): Promise<string> {
    return signToken({ ...good, ...own }, parseSigningKey(signer));
  }

  async function refusal(own: object, signer?: string): Promise<string> {
    const token = await made(own, signer);
    return faultOf(() => verifyServerToken(token, key, issuedAt));
  }

  test('not where it is as it must be', async () => {
    expect(await refusal({})).toBe('none');
  });

  test.each<[string, object, string]>([
    ['another purpose', { purpose: 'choria_provisioning' }, 'PURPOSE'],
    ['no expiry', { exp: undefined }, 'CLAIM'],
    ['no expiry of the issuer', { issexp: null }, 'CLAIM'],
    ['no time of issue', { iat: undefined }, 'CLAIM'],
    ['no id', { jti: undefined }, 'CLAIM'],
    ['no key', { public_key: '' }, 'CLAIM'],
    ['an id that is no KSUID', { jti: 'x' }, 'CLAIM'],
    ['an id of another second', { iat: issuedAt + 1 }, 'CLAIM'],
    ['collectives that are a text', { collectives: 'choria' }, 'CLAIM'],
    ['permissions that are a list', { permissions: [] }, 'CLAIM'],
    ['a permission that is a text', { permissions: { streams: 'true' } }, 'CLAIM'],
    ['no chain', { tcs: undefined }, 'CHAIN'],
    ['a chain of one part', { tcs: provisionerClaims.tcs }, 'CHAIN'],
    ['a chain of three parts', { tcs: `${chain}.aa` }, 'CHAIN'],
    ['a chain whose first part is empty', { tcs: `.${chain.split('.')[1]}` }, 'CHAIN'],
    ['a chain that is no hex', { tcs: chain.replaceAll('a', 'g') }, 'CHAIN'],
    ['an issuer of one part', { iss: `C-${publicOf(seeds.provisioner)}` }, 'CHAIN'],
    ['an issuer of three parts', { iss: `${good.iss}.a` }, 'CHAIN'],
    ['an issuer without an id', { iss: `C-.${publicOf(seeds.provisioner)}` }, 'CHAIN'],
    ['an issuer whose key is short', { iss: good.iss.slice(0, -2) }, 'CHAIN'],
    [
      'an issuer that the organisation did not sign for',
      { iss: `C-${newKsuid(issuedAt)}.${publicOf(seeds.provisioner)}` },
      'CHAIN',
    ],
    ['the id of another token', { jti: newKsuid(issuedAt) }, 'CHAIN'],
    ['an issuer that has expired', { issexp: issuedAt }, 'EXPIRED'],
    ['its expiry past', { exp: issuedAt }, 'EXPIRED'],
    ['a time before it is valid', { nbf: issuedAt + 1 }, 'NOT_YET_VALID'],
    ['a chain, under an issuer of none', { iss: `I-${publicOf(seeds.organization)}` }, 'SIGNATURE'],
  ])('for %s', async (_what, own, fault) => {
    expect(await refusal(own)).toBe(fault);
  });

  test('for another signer', async () => {
    expect(await refusal({}, seeds.node)).toBe('SIGNATURE');
    expect(await refusal({}, seeds.organization)).toBe('SIGNATURE');
  });

  test("for an issuer's key that was put in the place of the one that the organisation signed for", async () => {
    const tcs = `${provisionerClaims.tcs}.${signatureBy(seeds.node, `${id}.${provisionerClaims.tcs}`)}`;
    expect(
      await refusal({ iss: `C-${provisionerClaims.jti}.${publicOf(seeds.node)}`, tcs }, seeds.node),
    ).toBe('CHAIN');
  });

  test('for a plain token that says it has a chain', async () => {
    expect(await refusal({ iss: 'Choria Provisioner' }, seeds.organization)).toBe('CHAIN');
    expect(await refusal({ iss: 'Choria Provisioner', tcs: undefined }, seeds.organization)).toBe('none');
  });

  test('with an RSA key', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsaKey = parseVerificationKey(publicKey.export({ format: 'pem', type: 'spki' }).toString());
    const token = await made({});
    expect(await faultOf(() => verifyServerToken(token, rsaKey, issuedAt))).toBe('KEY_UNSUITABLE');
  });

  test('for any other character in it', async () => {
    const token = await made({});
    const characters = fc.constantFrom(...'ABCDabcd0189-_.= \n');
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: token.length - 1 }), characters, async (index, character) => {
        fc.pre(token[index] !== character);
        const changed = `${token.slice(0, index)}${character}${token.slice(index + 1)}`;
        expect(await faultOf(() => verifyServerToken(changed, key, issuedAt))).not.toBe('none');
      }),
      { numRuns: 150 },
    );
  });

  test('for claims of any kind, with nothing thrown but a TrustError', async () => {
    const names = fc.constantFrom('iss', 'tcs', 'jti', 'iat', 'exp', 'issexp', 'collectives', 'permissions');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, fc.jsonValue()), async (own) => {
        await refusal(own);
      }),
    );
  });
});
