import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newKsuid } from './ksuid.js';
import { ed25519KeyFromSeed, rawPublicKey } from './raw-keys.js';
import { createServerTokenIssuer, type ServerTokenClaims, verifyServerToken } from './server-token.js';
import { parseSigningKey, signToken } from './signing-key.js';
import { TrustError } from './trust-error.js';
import { parseVerificationKey } from './verification-key.js';

const now = 1_750_000_000;
const [organization, provisioner, node] = [1, 2, 3].map(seedOf) as [string, string, string];

function seedOf(number: number): string {
  return Buffer.alloc(32, number).toString('hex');
}

function publicOf(seed: string): string {
  return rawPublicKey(ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
}

function signedBy(seed: string, text: string): string {
  return sign(null, Buffer.from(text), ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
}

const key = parseVerificationKey(publicOf(organization));
const clientId = '2yY8AB06KFtlxl7ZvFjl4IXobqb';
const clientClaims = {
  callerid: 'provisioner_signer',
  purpose: 'choria_client_id',
  tcs: signedBy(organization, `${clientId}.${publicOf(provisioner)}`),
  public_key: publicOf(provisioner),
  iss: `I-${publicOf(organization)}`,
  exp: 4_000_000_000 as unknown,
  nbf: now,
  iat: now,
  jti: clientId,
};

function signingToken(own: object = {}): Promise<string> {
  return signToken({ ...clientClaims, ...own }, parseSigningKey(organization));
}

const claims: ServerTokenClaims = {
  identity: 'n1.example.net',
  publicKey: publicOf(node),
  ou: 'choria',
  collectives: ['choria'],
  expiresAt: now + 100,
};

async function mint(own: Partial<ServerTokenClaims> = {}, at = now): Promise<string> {
  const issuer = createServerTokenIssuer(provisioner, await signingToken(), now);
  return issuer.mint({ ...claims, ...own }, at);
}

function payloadOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

async function faultOf(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return 'none';
  } catch (error) {
    if (error instanceof TrustError) return error.fault;
    throw error;
  }
}

describe('a token that is minted', () => {
  test("is Choria's own, byte for byte", async () => {
    const newId = (seconds: number) => newKsuid(seconds, Buffer.alloc(16, 0x22));
    const issuer = createServerTokenIssuer(provisioner, await signingToken(), now, newId);
    const token = await issuer.mint({ ...claims, expiresAt: 5_000_000_000 }, now);
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
    expect(await verifyServerToken(token, key, now)).toEqual({
      ...claims,
      permissions,
      pubSubjects: ['a.>', 'b'],
    });
  });

  test('has an id of the second in which it was issued, which is iat and nbf', async () => {
    const payload = payloadOf(await mint({}, now + 0.9));
    expect(payload).toMatchObject({ iat: now, nbf: now, jti: expect.stringMatching(/^2yY8A/) });
  });

  test('expires when it was asked to, and not after the signing token', async () => {
    expect(payloadOf(await mint())).toMatchObject({ exp: now + 100, issexp: 4_000_000_000 });
    expect(payloadOf(await mint({ expiresAt: 4_100_000_000 }))).toMatchObject({ exp: 4_000_000_000 });
  });

  test('is good until just before it expires', async () => {
    const token = await mint();
    expect(await faultOf(() => verifyServerToken(token, key, now + 99))).toBe('none');
    expect(await faultOf(() => verifyServerToken(token, key, now + 100))).toBe('EXPIRED');
    expect(await faultOf(() => verifyServerToken(token, key, now - 1))).toBe('NOT_YET_VALID');
  });

  test('any claims: it is good and says them', async () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 });
    const issuer = createServerTokenIssuer(provisioner, await signingToken(), now);
    const wanted = fc.record({
      identity: fc.string({ unit: 'grapheme' }),
      ou: fc.string(),
      collectives: texts,
      pubSubjects: texts,
      expiresAt: fc.integer({ min: now + 1, max: 2 ** 40 }),
    });
    await fc.assert(
      fc.asyncProperty(wanted, async (own) => {
        const token = await issuer.mint({ publicKey: publicOf(node), ...own }, now);
        expect(await verifyServerToken(token, key, now)).toMatchObject({
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
    ['an ed25519 seed', organization, publicOf(organization)],
    ['a seed with a line break', `${organization}\n`, publicOf(organization)],
    ...(['pkcs1', 'pkcs8'] as const).map((type): [string, string, string] => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
      return [`RSA in ${type}`, privateKey.export({ format: 'pem', type }).toString(), pem];
    }),
    [
      'ed25519 in PEM',
      ed25519KeyFromSeed(Buffer.from(organization, 'hex'))
        .export({ format: 'pem', type: 'pkcs8' })
        .toString(),
      publicOf(organization),
    ],
  ])('%s signs as Choria Provisioner', async (_kind, signingKey, verificationKey) => {
    const issuer = createServerTokenIssuer(signingKey, undefined, now);
    expect(issuer.expiresAt).toBeUndefined();
    const token = await issuer.mint(claims, now);
    expect(payloadOf(token)).toMatchObject({ iss: 'Choria Provisioner', exp: now + 100 });
    expect(payloadOf(token)).not.toHaveProperty('tcs');
    expect(payloadOf(token)).not.toHaveProperty('issexp');
    const got = await verifyServerToken(token, parseVerificationKey(verificationKey), now);
    expect(got).toMatchObject({ ...claims });
  });
});

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
    ['short hex', organization.slice(2), 'MALFORMED', /64 hex digits/],
    ['a seed with its public key', organization.repeat(2), 'KEY_UNSUITABLE', /first 64/],
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
    const making = () => createServerTokenIssuer(signingKey, undefined, now);
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
    ['for another key', { public_key: publicOf(node) }, 'CHAIN', /another key.*give the seed/],
    ['that has expired', { exp: now }, 'EXPIRED', /expired at .*get a new one/],
    ['that is not valid yet', { nbf: now + 1 }, 'NOT_YET_VALID', /not valid before/],
    ['of an issuer that is no organisation', { iss: 'Choria' }, 'CHAIN', /I-/],
    ['that is itself of a chain', { iss: `C-x.${publicOf(node)}`, tcs: 'a.b' }, 'CHAIN', /I-/],
    [
      'that the organisation in it did not sign',
      { iss: `I-${publicOf(node)}` },
      'CHAIN',
      /did not|not one that/,
    ],
    ['with a chain signature for another id', { jti: newKsuid(now) }, 'CHAIN', /not one that/],
  ])('under a signing token %s', async (_what, own, fault, message) => {
    const token = await signingToken(own);
    const making = () => createServerTokenIssuer(provisioner, token, now);
    expect(await faultOf(making)).toBe(fault);
    expect(making).toThrow(message);
  });

  test('under a signing token that was changed', async () => {
    const [header, , signature] = (await signingToken()).split('.');
    const payload = Buffer.from(JSON.stringify({ ...clientClaims, exp: 4_100_000_000 })).toString(
      'base64url',
    );
    const making = () => createServerTokenIssuer(provisioner, [header, payload, signature].join('.'), now);
    expect(await faultOf(making)).toBe('SIGNATURE');
  });

  test('of an RSA key under a signing token', async () => {
    const token = await signingToken();
    expect(() => createServerTokenIssuer(rsaPem, token, now)).toThrow(
      /ed25519 key that the token was made for/,
    );
  });

  test('under what is no token', () => {
    expect(() => createServerTokenIssuer(provisioner, 'x', now)).toThrow(
      /^the signing token cannot be read: /,
    );
  });
});

test('an issuer whose signing token expires meanwhile mints nothing', async () => {
  const issuer = createServerTokenIssuer(provisioner, await signingToken({ exp: now + 10 }), now);
  expect(issuer.expiresAt).toBe(now + 10);
  await issuer.mint(claims, now + 9);
  expect(await faultOf(() => issuer.mint(claims, now + 10))).toBe('EXPIRED');
});

describe('a token of a chain is refused', () => {
  const id = newKsuid(now);
  const chain = `${clientClaims.tcs}.${signedBy(provisioner, `${id}.${clientClaims.tcs}`)}`;
  const good = {
    identity: 'n1.example.net',
    collectives: ['choria'],
    purpose: 'choria_server',
    tcs: chain,
    public_key: publicOf(node),
    issexp: 4_000_000_000,
    iss: `C-${clientId}.${publicOf(provisioner)}`,
    exp: now + 100,
    nbf: now,
    iat: now,
    jti: id,
  };

  function made(own: object, signer = provisioner): Promise<string> {
    return signToken({ ...good, ...own }, parseSigningKey(signer));
  }

  async function refusal(own: object, signer?: string): Promise<string> {
    const token = await made(own, signer);
    return faultOf(() => verifyServerToken(token, key, now));
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
    ['an id of another second', { iat: now + 1 }, 'CLAIM'],
    ['collectives that are a text', { collectives: 'choria' }, 'CLAIM'],
    ['permissions that are a list', { permissions: [] }, 'CLAIM'],
    ['a permission that is a text', { permissions: { streams: 'true' } }, 'CLAIM'],
    ['no chain', { tcs: undefined }, 'CHAIN'],
    ['a chain of one part', { tcs: clientClaims.tcs }, 'CHAIN'],
    ['a chain of three parts', { tcs: `${chain}.aa` }, 'CHAIN'],
    ['a chain whose first part is empty', { tcs: `.${chain.split('.')[1]}` }, 'CHAIN'],
    ['a chain that is no hex', { tcs: chain.replaceAll('a', 'g') }, 'CHAIN'],
    ['an issuer of one part', { iss: `C-${publicOf(provisioner)}` }, 'CHAIN'],
    ['an issuer of three parts', { iss: `${good.iss}.a` }, 'CHAIN'],
    ['an issuer without an id', { iss: `C-.${publicOf(provisioner)}` }, 'CHAIN'],
    ['an issuer whose key is short', { iss: good.iss.slice(0, -2) }, 'CHAIN'],
    [
      'an issuer that the organisation did not sign for',
      { iss: `C-${newKsuid(now)}.${publicOf(provisioner)}` },
      'CHAIN',
    ],
    ['the id of another token', { jti: newKsuid(now) }, 'CHAIN'],
    ['an issuer that has expired', { issexp: now }, 'EXPIRED'],
    ['its expiry past', { exp: now }, 'EXPIRED'],
    ['a time before it is valid', { nbf: now + 1 }, 'NOT_YET_VALID'],
    ['a chain, under an issuer of none', { iss: `I-${publicOf(organization)}` }, 'SIGNATURE'],
  ])('for %s', async (_what, own, fault) => {
    expect(await refusal(own)).toBe(fault);
  });

  test('for another signer', async () => {
    expect(await refusal({}, node)).toBe('SIGNATURE');
    expect(await refusal({}, organization)).toBe('SIGNATURE');
  });

  test("for an issuer's key that was put in the place of the one that the organisation signed for", async () => {
    const tcs = `${clientClaims.tcs}.${signedBy(node, `${id}.${clientClaims.tcs}`)}`;
    expect(await refusal({ iss: `C-${clientId}.${publicOf(node)}`, tcs }, node)).toBe('CHAIN');
  });

  test('for a plain token that says it has a chain', async () => {
    expect(await refusal({ iss: 'Choria Provisioner' }, organization)).toBe('CHAIN');
    expect(await refusal({ iss: 'Choria Provisioner', tcs: undefined }, organization)).toBe('none');
  });

  test('with an RSA key', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsaKey = parseVerificationKey(publicKey.export({ format: 'pem', type: 'spki' }).toString());
    const token = await made({});
    expect(await faultOf(() => verifyServerToken(token, rsaKey, now))).toBe('KEY_UNSUITABLE');
  });

  test('for any other character in it', async () => {
    const token = await made({});
    const characters = fc.constantFrom(...'ABCDabcd0189-_.= \n');
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: token.length - 1 }), characters, async (index, character) => {
        fc.pre(token[index] !== character);
        const changed = `${token.slice(0, index)}${character}${token.slice(index + 1)}`;
        expect(await faultOf(() => verifyServerToken(changed, key, now))).not.toBe('none');
      }),
      { numRuns: 300 },
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
