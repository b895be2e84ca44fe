import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf as faultOfAttempt } from '../../test/fakes/organization.js';
import {
  type ProvisioningClaims,
  readProvisioningToken,
  verifyProvisioningToken,
} from './provisioning-token.js';
import { ed25519KeyFromSeed, rawPublicKey } from './raw-keys.js';
import { parseSigningKey, signToken } from './signing-key.js';
import { TrustError } from './trust-error.js';
import { parseVerificationKey } from './verification-key.js';

const now = 1_796_000_000;
const seed = '01'.repeat(32);
const signer = parseSigningKey(seed);
const publicHex = rawPublicKey(ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
const key = parseVerificationKey(publicHex);

const claims = { cht: 's3cret', chs: false, chpd: true, extensions: null, purpose: 'choria_provisioning' };

function signed(own: object): Promise<string> {
  return signToken({ ...claims, ...own }, signer);
}

async function verified(own: object, at = now): Promise<ProvisioningClaims> {
  return verifyProvisioningToken(await signed(own), key, at);
}

async function faultOf(token: string, at = now): Promise<string> {
  return faultOfAttempt(() => verifyProvisioningToken(token, key, at));
}

/** A token with any header, signed or not, as nobody's tools make it. */
function raw(header: object, payload: object | string, signature: (data: Buffer) => Buffer): string {
  const encode = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const data = `${encode(header)}.${encode(payload)}`;
  return `${data}.${signature(Buffer.from(data)).toString('base64url')}`;
}

const byKey = (data: Buffer) => sign(null, data, signer.key);

describe('what a good token says', () => {
  test('the secret, the default, the expiry and the CA', async () => {
    const hash = 'AB'.repeat(32);
    const got = await verified({ exp: now + 10, nbf: now, extensions: { slipway_ca_sha256: hash } });
    expect(got).toMatchObject({
      provisioningByDefault: true,
      caSha256: hash.toLowerCase(),
      expiresAt: now + 10,
      notBefore: now,
    });
    expect(got.secret?.reveal()).toBe('s3cret');
  });

  test('nothing of what is not in it', async () => {
    const token = await signToken({ sub: 'choria_provisioning' }, signer);
    expect(await verifyProvisioningToken(token, key, now)).toMatchObject({
      secret: undefined,
      provisioningByDefault: undefined,
      caSha256: '',
      expiresAt: undefined,
    });
  });

  test('the helper is told the known claims, without secret and password', async () => {
    const { forHelperJson } = await verified({
      chu: 'nats://a:4222,nats://b:4222',
      chusr: 'user',
      chpwd: 'swordfish',
      extensions: { region: 'eu', nested: { deep: [1, null] } },
      shoe_size: 43,
      ou: '',
      exp: `${now + 5}`,
      iat: now,
    });
    expect(JSON.parse(forHelperJson)).toEqual({
      chs: false,
      chu: 'nats://a:4222,nats://b:4222',
      chpd: true,
      chusr: 'user',
      extensions: { region: 'eu', nested: { deep: [1, null] } },
      ou: 'choria',
      purpose: 'choria_provisioning',
      exp: now + 5,
      iat: now,
    });
  });

  test('a node reads its own without a key', async () => {
    const token = await signed({ exp: 5 });
    expect(readProvisioningToken(`${token}\n`).secret?.reveal()).toBe('s3cret');
    expect(() => readProvisioningToken('not.a.token')).toThrow(TrustError);
  });
});

describe('the purpose', () => {
  test.each([
    [{ purpose: 'choria_provisioning', sub: 'x' }, 'none'],
    [{ purpose: '', sub: 'choria_provisioning' }, 'none'],
    [{ purpose: null, sub: 'choria_provisioning' }, 'none'],
    [{ purpose: 'choria_server', sub: 'choria_provisioning' }, 'PURPOSE'],
    [{ purpose: undefined }, 'PURPOSE'],
    [{ purpose: 5 }, 'CLAIM'],
  ])('%j: %s', async (own, fault) => {
    expect(await faultOf(await signed(own))).toBe(fault);
  });
});

describe('times have no leeway', () => {
  test.each<[object, string]>([
    [{ exp: now }, 'EXPIRED'],
    [{ exp: now + 1 }, 'none'],
    [{ exp: now + 0.5 }, 'none'],
    [{ exp: `${now}` }, 'EXPIRED'],
    [{ exp: `${now + 1}.5` }, 'none'],
    [{ exp: '1e11' }, 'none'],
    [{ exp: 0 }, 'EXPIRED'],
    [{ exp: null, nbf: null, iat: null }, 'none'],
    [{ nbf: now }, 'none'],
    [{ nbf: now + 1 }, 'NOT_YET_VALID'],
    [{ nbf: `${now + 0.5}` }, 'NOT_YET_VALID'],
    [{ iat: now + 1000 }, 'none'],
    ...[true, '', ' 1', 'soon', '0x10', '+1', 'Infinity', 1e300, '1e400', [1], {}].map(
      (exp): [object, string] => [{ exp }, 'CLAIM'],
    ),
    [{ nbf: 'soon' }, 'CLAIM'],
    [{ iat: 'soon' }, 'CLAIM'],
  ])('%j: %s', async (own, fault) => {
    expect(await faultOf(await signed(own))).toBe(fault);
  });
});

describe('a claim of another type is refused, one that is null is none', () => {
  const texts = [
    'cht',
    'chu',
    'chsrv',
    'chrd',
    'chf',
    'chusr',
    'chpwd',
    'ou',
    'public_key',
    'iss',
    'sub',
    'jti',
  ];
  test.each([...texts, 'tcs', 'chs', 'chpd', 'v2', 'update', 'extensions', 'aud'])('%s', async (name) => {
    expect(await faultOf(await signed({ [name]: 5 }))).toBe('CLAIM');
    expect(await faultOf(await signed({ [name]: null }))).toBe('none');
  });

  test('an audience is a text or a list of them', async () => {
    expect(await faultOf(await signed({ aud: 'a' }))).toBe('none');
    expect(await faultOf(await signed({ aud: ['a', 'b'] }))).toBe('none');
    expect(await faultOf(await signed({ aud: ['a', 5] }))).toBe('CLAIM');
  });

  test.each(['zz', 'ab', 5, { a: 1 }])("a CA's hash is 64 hex digits, not %j", async (value) => {
    expect(await faultOf(await signed({ extensions: { slipway_ca_sha256: value } }))).toBe('CLAIM');
  });

  test('extensions that are nested too deeply are refused, however deeply', async () => {
    for (const [depth, fault] of [
      [40, 'none'],
      [60, 'CLAIM'],
      [20_000, 'CLAIM'],
    ] as const) {
      const nested = `{"purpose":"choria_provisioning","extensions":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
      expect(await faultOf(raw({ alg: 'EdDSA' }, nested, byKey))).toBe(fault);
    }
  });
});

test('a token that is part of a chain of issuers is refused', async () => {
  expect(await faultOf(await signed({ tcs: 'aa.bb' }))).toBe('CHAIN');
  expect(await faultOf(await signed({ tcs: '' }))).toBe('none');
});

describe('who signed it, and how', () => {
  test('another key', async () => {
    const other = parseSigningKey('02'.repeat(32));
    expect(await faultOf(await signToken(claims, other))).toBe('SIGNATURE');
  });

  test.each(['none', 'None', 'Ed25519', 'RS256', 'HS256', 'ES256', '', 5, undefined])(
    'algorithm %j is not the one that the key allows',
    async (alg) => {
      expect(await faultOf(raw({ alg, typ: 'JWT' }, claims, byKey))).toBe('ALGORITHM');
      expect(await faultOf(raw({ alg, typ: 'JWT' }, claims, () => Buffer.alloc(0)))).toBe('ALGORITHM');
    },
  );

  test('HS256 keyed with the public key, in each of its forms', async () => {
    const pem = createPublicKey(signer.key).export({ format: 'pem', type: 'spki' });
    for (const secret of [publicHex, Buffer.from(publicHex, 'hex'), pem]) {
      const token = raw({ alg: 'HS256', typ: 'JWT' }, claims, (data) =>
        createHmac('sha256', secret).update(data).digest(),
      );
      expect(await faultOf(token)).toBe('ALGORITHM');
    }
  });

  test('RSA allows three algorithms, and no PSS', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsaKey = parseVerificationKey(publicKey.export({ format: 'pem', type: 'spki' }).toString());
    for (const size of [256, 384, 512]) {
      const token = raw({ alg: `RS${size}` }, claims, (data) => sign(`sha${size}`, data, privateKey));
      await verifyProvisioningToken(token, rsaKey, now);
    }
    const token = raw({ alg: 'PS256' }, claims, (data) => sign('sha256', data, privateKey));
    await expect(verifyProvisioningToken(token, rsaKey, now)).rejects.toMatchObject({ fault: 'ALGORITHM' });
  });

  test.each<[string, object]>([
    ['what nobody knows', { crit: ['x'], x: 1 }],
    ['claims that are not base64url', { crit: ['b64'], b64: false }],
    ['claims as they are', { crit: ['b64'], b64: true }],
    ['nothing', { crit: [] }],
  ])('a header that demands %s', async (_what, header) => {
    expect(await faultOf(raw({ alg: 'EdDSA', ...header }, claims, byKey))).toBe('MALFORMED');
  });
});

describe('what is no token is malformed', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['two parts', 'e30.e30'],
    ['four parts', 'e30.e30.e30.e30'],
    ['a Bearer', 'Bearer e30.e30.e30'],
    ['no JSON', raw({ alg: 'EdDSA' }, 'swordfish', byKey)],
    ['a list', raw({ alg: 'EdDSA' }, '[]', byKey)],
    ['null', raw({ alg: 'EdDSA' }, 'null', byKey)],
    ['two objects', raw({ alg: 'EdDSA' }, '{}{}', byKey)],
    ['a header that is a list', raw([], claims, byKey)],
    ['base64 with padding', `${raw({ alg: 'EdDSA' }, claims, byKey)}==`],
    ['a megabyte', 'a'.repeat(2 ** 20)],
  ])('%s', async (_what, token) => {
    expect(await faultOf(token)).toBe('MALFORMED');
  });

  test('text that is not UTF-8', async () => {
    const payload = Buffer.concat([Buffer.from('{"purpose":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const data = `${Buffer.from('{"alg":"EdDSA"}').toString('base64url')}.${payload.toString('base64url')}`;
    expect(await faultOf(`${data}.${byKey(Buffer.from(data)).toString('base64url')}`)).toBe('MALFORMED');
  });
});

test('no token with another character is good', async () => {
  const token = await signed({ exp: now + 10 });
  expect(await faultOf(token)).toBe('none');
  const characters = fc.constantFrom(...'ABCDabcd0189-_.=+/ \n');
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: token.length - 1 }), characters, async (index, character) => {
      fc.pre(token[index] !== character);
      expect(await faultOf(`${token.slice(0, index)}${character}${token.slice(index + 1)}`)).not.toBe('none');
    }),
    { numRuns: 200 },
  );
});

test('the same signature is not taken in another writing', async () => {
  const token = await signed({});
  // Its last character has four bits that stand for nothing.
  const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const faults = await Promise.all(others.map((last) => faultOf(token.slice(0, -1) + last)));
  expect(faults.filter((fault) => fault === 'none')).toHaveLength(1);
});

test('garbage is refused, and nothing but a TrustError is ever thrown', async () => {
  const json = fc.json({ maxDepth: 3 });
  const part = fc.oneof(
    fc.string(),
    fc.base64String(),
    json.map((text) => Buffer.from(text).toString('base64url')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
      expect(await faultOf(parts.join('.'))).not.toBe('none');
    }),
  );
  // Signed as it must be, so that the claims are what is garbage.
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('cht', 'exp', 'nbf', 'extensions', 'aud', 'x'), fc.jsonValue()),
      async (own) => {
        expect(['none', 'CLAIM', 'EXPIRED', 'NOT_YET_VALID']).toContain(await faultOf(await signed(own)));
      },
    ),
  );
});
