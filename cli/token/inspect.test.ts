import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { slipway, testFolder } from '../../test/fakes/fake-terminal.js';

const vectors = JSON.parse(readFileSync(new URL('../../test/vectors/jwt.json', import.meta.url), 'utf8'));
const now = new Date(vectors.now_unix * 1000);
const organisation: string = vectors.keys.org_issuer_public;
const provisioning: string = vectors.provisioning[0].token;
const server: string = vectors.server[0].token;

/** A token of any claims, signed by nobody in particular. */
function tokenOf(claims: object, header: object = { alg: 'EdDSA' }): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

function view(token: string, ...options: string[]) {
  return slipway(['token', 'view', '-', ...options], { input: token, now });
}

describe('slipway token view', () => {
  test('says what a provisioning token is and says, with times that people read, and no secret', async () => {
    const { code, out } = await view(`${provisioning}\n`);
    expect(code).toBe(0);
    expect(out).toMatch(/^provisioning token/);
    expect(out).toContain('nothing of it has been verified');
    expect(out).toMatch(/cht +provisioning secret +\[secret\]/);
    expect(out).toMatch(/exp +expires +2100-01-01T00:00:00\.000Z \(in \d+d\)/);
    expect(out).not.toContain('s3cret');
    expect((await view(provisioning, '--show-secrets')).out).toMatch(/cht .* s3cret/);
  });

  test('reads server tokens and client tokens', async () => {
    const viewed = await view(server);
    expect(viewed.out).toMatch(/^server token/);
    expect(viewed.out).toMatch(/identity +n1\.example\.net/);
    expect((await view(vectors.chain_issuer_token)).out).toMatch(/^client token/);
  });

  test('--json is for programs, without secrets', async () => {
    expect(JSON.parse((await view(provisioning, '--json')).out)).toMatchObject({
      cht: '[secret]',
      purpose: 'choria_provisioning',
      exp: 4_102_444_800,
    });
  });

  test('reads a file', async () => {
    const file = join(testFolder(), 'token');
    writeFileSync(file, provisioning);
    expect(await slipway(['token', 'view', file])).toMatchObject({ code: 0 });
    expect(await slipway(['token', 'view', `${file}.no`])).toMatchObject({ code: 2 });
  });

  test('nothing that a stranger wrote into a token moves the cursor', async () => {
    const { out } = await view(tokenOf({ purpose: '\u001b[2J', '\u009b1m': '\u202egnp.exe\n', exp: 'soon' }));
    for (const character of ['\u001b', '\u009b', '\u202e']) expect(out).not.toContain(character);
    expect(out).toContain('\\u{1b}[2J');
    expect(out).toContain('\\u{202e}gnp.exe\\u{a}');
    expect(out).toMatch(/exp .* soon/);
  });

  test('nor in its JSON, which says the same', async () => {
    const claims = { purpose: '\u001b[2J\u009b1m\u202e' };
    const { out } = await view(tokenOf(claims), '--json');
    expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(JSON.parse(out)).toEqual(claims);
  });

  test('what is no token is told so', async () => {
    const { code, out, err } = await view('junk');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('three parts');
  });
});

function verify(token: string, ...options: string[]) {
  return slipway(['token', 'verify', '-', ...options], { input: token, now });
}

describe('slipway token verify', () => {
  test('a token that holds: exit code 0', async () => {
    expect(await verify(provisioning, '--key', organisation)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^valid: a provisioning token, until 2100/),
    });
    expect(await verify(server, '--key', organisation)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^valid: a server token of n1\.example\.net/),
    });
    const file = join(testFolder(), 'key');
    writeFileSync(file, organisation);
    expect(await verify(provisioning, '--key', file)).toMatchObject({ code: 0 });
  });

  test.each([
    { what: 'signed by another', token: tokenOf({ purpose: 'choria_provisioning' }), rule: 'SIGNATURE' },
    {
      what: 'of no algorithm',
      token: tokenOf({ purpose: 'choria_provisioning' }, { alg: 'none' }),
      rule: 'ALGORITHM',
    },
    { what: 'a client token', token: vectors.chain_issuer_token, rule: 'PURPOSE' },
    { what: 'no token', token: 'junk', rule: 'MALFORMED' },
  ])('one that does not, $what: exit code 1 and the rule', async ({ token, rule }) => {
    const { code, out, err } = await verify(token, '--key', organisation);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`not valid, ${rule}: `);
  });

  test('one for something else than --purpose: exit code 1', async () => {
    const { code, err } = await verify(provisioning, '--key', organisation, '--purpose', 'server');
    expect(code).toBe(1);
    expect(err).toMatch(/not valid, PURPOSE/);
  });

  test('the private key in the place of the public one is told so, with exit code 2', async () => {
    const seed = join(testFolder(), 'seed');
    writeFileSync(seed, vectors.keys.org_issuer_seed);
    const { code, err } = await verify(provisioning, '--key', seed);
    expect(await verify(provisioning, '--key', vectors.keys.org_issuer_seed)).toMatchObject({ code, err });
    expect(code).toBe(2);
    expect(err).toContain('private key');
  });

  test('what cannot be tried: exit code 2', async () => {
    expect(await verify(provisioning)).toMatchObject({ code: 2, err: expect.stringContaining('--key') });
    expect(await verify(provisioning, '--key', 'abcd')).toMatchObject({ code: 2 });
    expect(await verify(provisioning, '--key', organisation, '--purpose', 'client')).toMatchObject({
      code: 2,
    });
    expect(await verify('', '--key', organisation)).toMatchObject({
      code: 2,
      err: expect.stringContaining('empty'),
    });
  });
});
