import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf, issuedAt, publicOf, seeds, signingToken } from '../../test/fakes/organization.js';
import { newKsuid } from './ksuid.js';
import { ed25519KeyFromSeed } from './raw-keys.js';
import { createServerTokenIssuer, type ServerTokenClaims, verifyServerToken } from './server-token.js';
import { parseVerificationKey } from './verification-key.js';

const key = parseVerificationKey(publicOf(seeds.organization));
const claims: ServerTokenClaims = {
  identity: 'n1.example.net',
  publicKey: publicOf(seeds.node),
  ou: 'choria',
  collectives: ['choria'],
  expiresAt: issuedAt + 100,
};

async function mint(own: Partial<ServerTokenClaims> = {}, at = issuedAt): Promise<string> {
  const issuer = createServerTokenIssuer(seeds.provisioner, await signingToken(), issuedAt);
  return issuer.mint({ ...claims, ...own }, at);
}

function payloadOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

describe('a token that is minted', () => {
  test("is Choria's own, byte for byte", async () => {
    const newId = (seconds: number) => newKsuid(seconds, Buffer.alloc(16, 0x22));
    const issuer = createServerTokenIssuer(seeds.provisioner, await signingToken(), issuedAt, newId);
    const token = await issuer.mint({ ...claims, expiresAt: 5_000_000_000 }, issuedAt);
    const [header = '', payload = '', signature] = token.split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"EdDSA","typ":"JWT"}');
    expect(Buffer.from(payload, 'base64url').toString()).toBe(
      '{"identity":"n1.example.net","collectives":["choria"],"ou":"choria","purpose":"choria_server","tcs":"ba09e81fe578e6943b9059a26d9a6d7a21a0057d0b28288b6f0dd9d8da5baa838caccab8942da8fb04a64c0af5ef3d99f15cdcb457db0882caee83cb5c2c4b07.ff65135e377a4c42b7f5f08961052a216a93f5c94dc3e1fc544e9cf2caf4ef1871721a0fdd15ae599708fb3553d103c076512e1e1463162ff9ccf4a8612c0407","public_key":"ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1","issexp":4000000000,"iss":"C-2yY8AB06KFtlxl7ZvFjl4IXobqb.8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394","exp":4000000000,"nbf":1750000000,"iat":1750000000,"jti":"2yY8ABWIzjiSlixxlvitv9opeks"}',
    );
    expect(signature).toBe(
      's8zl-I3Vh1AISHGE9FtmmL7HxwkY_wRuUV2wFd27QX6h-gM-ZYenn6Rb1Ygdyo3_11rM7UhqTziwXP6dhMfXBw',
    );
  });

  test('leaves out what is empty: permissions that are not given, subjects, an organisation', async () => {
    const token = await mint({ ou: '', pubSubjects: [], permissions: { streams: false } });
    expect(payloadOf(token)).toMatchObject({ permissions: {} });
    expect(payloadOf(token)).not.toHaveProperty('pub_subjects');
    expect(payloadOf(token)).not.toHaveProperty('ou');
    expect(payloadOf(await mint())).not.toHaveProperty('permissions');
  });

  test('has all that it was asked for, in order', async () => {
    const permissions = { serviceHost: true, governor: true, streams: true, submission: true };
    const token = await mint({ permissions, pubSubjects: ['a.>', 'b'] });
    expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).toMatch(
      /^{"identity":"n1.example.net","collectives":\["choria"\],"permissions":{"submission":true,"streams":true,"governor":true,"service_host":true},"ou":"choria","pub_subjects":\["a.\\u003e","b"\],"purpose":/,
    );
    expect(await verifyServerToken(token, key, issuedAt)).toEqual({
      ...claims,
      permissions,
      pubSubjects: ['a.>', 'b'],
    });
  });

  test('has an id of the second in which it was issued, which is iat and nbf', async () => {
    const payload = payloadOf(await mint({}, issuedAt + 0.9));
    expect(payload).toMatchObject({ iat: issuedAt, nbf: issuedAt, jti: expect.stringMatching(/^2yY8A/) });
  });

  test('expires when it was asked to, and not after the signing token', async () => {
    expect(payloadOf(await mint())).toMatchObject({ exp: issuedAt + 100, issexp: 4_000_000_000 });
    expect(payloadOf(await mint({ expiresAt: 4_100_000_000 }))).toMatchObject({ exp: 4_000_000_000 });
  });

  test('is good until just before it expires', async () => {
    const token = await mint();
    expect(await faultOf(() => verifyServerToken(token, key, issuedAt + 99))).toBe('none');
    expect(await faultOf(() => verifyServerToken(token, key, issuedAt + 100))).toBe('EXPIRED');
    expect(await faultOf(() => verifyServerToken(token, key, issuedAt - 1))).toBe('NOT_YET_VALID');
  });

  test('any claims: it is good and says them', async () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 });
    const issuer = createServerTokenIssuer(seeds.provisioner, await signingToken(), issuedAt);
    const wanted = fc.record({
      identity: fc.string({ unit: 'grapheme' }),
      ou: fc.string(),
      collectives: texts,
      pubSubjects: texts,
      expiresAt: fc.integer({ min: issuedAt + 1, max: 2 ** 40 }),
    });
    await fc.assert(
      fc.asyncProperty(wanted, async (own) => {
        const token = await issuer.mint({ publicKey: publicOf(seeds.node), ...own }, issuedAt);
        expect(await verifyServerToken(token, key, issuedAt)).toMatchObject({
          ...own,
          expiresAt: Math.min(own.expiresAt, 4_000_000_000),
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe('without a signing token', () => {
  test.each([
    ['an ed25519 seed', seeds.organization, publicOf(seeds.organization)],
    ['a seed with a line break', `${seeds.organization}\n`, publicOf(seeds.organization)],
    ...(['pkcs1', 'pkcs8'] as const).map((type): [string, string, string] => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
      return [`RSA in ${type}`, privateKey.export({ format: 'pem', type }).toString(), pem];
    }),
    [
      'ed25519 in PEM',
      ed25519KeyFromSeed(Buffer.from(seeds.organization, 'hex'))
        .export({ format: 'pem', type: 'pkcs8' })
        .toString(),
      publicOf(seeds.organization),
    ],
  ])('%s signs as Choria Provisioner', async (_kind, signingKey, verificationKey) => {
    const issuer = createServerTokenIssuer(signingKey, undefined, issuedAt);
    expect(issuer.expiresAt).toBeUndefined();
    const token = await issuer.mint(claims, issuedAt);
    expect(payloadOf(token)).toMatchObject({ iss: 'Choria Provisioner', exp: issuedAt + 100 });
    expect(payloadOf(token)).not.toHaveProperty('tcs');
    expect(payloadOf(token)).not.toHaveProperty('issexp');
    const got = await verifyServerToken(token, parseVerificationKey(verificationKey), issuedAt);
    expect(got).toMatchObject({ ...claims });
  });
});

test('an issuer whose signing token expires meanwhile mints nothing', async () => {
  const issuer = createServerTokenIssuer(
    seeds.provisioner,
    await signingToken({ exp: issuedAt + 10 }),
    issuedAt,
  );
  expect(issuer.expiresAt).toBe(issuedAt + 10);
  await issuer.mint(claims, issuedAt + 9);
  expect(await faultOf(() => issuer.mint(claims, issuedAt + 10))).toBe('EXPIRED');
});
