import { createHash, createPublicKey, generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { slipway, testFolder } from '../../test/fakes/fake-terminal.js';

const now = new Date('2026-12-01T00:00:00.400Z');
const nowSeconds = 1_796_083_200;

let folder: string;
let token: string;
let seed: string;
let publicKey: string;

beforeEach(async () => {
  folder = testFolder();
  token = join(folder, 'provisioning.jwt');
  seed = join(folder, 'site.seed');
  publicKey = (await slipway(['keys', 'new', seed])).out.trim();
});

/** Runs the command with the site's key. */
function make(...options: string[]) {
  return slipway(['token', 'provisioning', token, '--signing-key', seed, ...options], { now });
}

/** Takes a token apart and checks its signature, without the product's code. */
function opened(key = `302a300506032b6570032100${publicKey}`, algorithm: string | null = null) {
  const [header = '', payload = '', signature = ''] = readFileSync(token, 'utf8').split('.');
  const decode = (part: string) => Buffer.from(part, 'base64url').toString('utf8');
  const spki = createPublicKey({ key: Buffer.from(key, 'hex'), format: 'der', type: 'spki' });
  const signed = verify(
    algorithm,
    Buffer.from(`${header}.${payload}`),
    spki,
    Buffer.from(signature, 'base64url'),
  );
  return { signed, header: decode(header), claims: JSON.parse(decode(payload)) as Record<string, unknown> };
}

describe('slipway token provisioning', () => {
  test('makes a token with the claims that agents read, in the order of Choria, signed with the key', async () => {
    const { code, out } = await make('--default');
    expect(code).toBe(0);
    const { signed, header, claims } = opened();
    expect(signed).toBe(true);
    expect(header).toBe('{"alg":"EdDSA","typ":"JWT"}');
    const secret = readFileSync(`${token}.secret`, 'utf8').trim();
    expect(Object.entries(claims)).toEqual([
      ['cht', secret],
      ['chs', false],
      ['chpd', true],
      ['extensions', null],
      ['ou', 'choria'],
      ['purpose', 'choria_provisioning'],
      ['iss', 'Choria Tokens Package'],
      ['sub', 'choria_provisioning'],
      ['exp', nowSeconds + 365 * 86_400],
      ['nbf', nowSeconds],
      ['iat', nowSeconds],
      ['jti', expect.stringMatching(/^[0-9A-Za-z]{27}$/)],
    ]);
    expect(out).toContain(publicKey);
    expect(out).not.toContain(secret);
  });

  test('what it writes is for its owner alone, and a secret that it makes is no short one', async () => {
    await make();
    for (const file of [token, `${token}.secret`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(token, 'utf8')).not.toContain('\n');
    expect(readFileSync(`${token}.secret`, 'utf8')).toMatch(/^[\w-]{43}\n$/);
  });

  test('every option has its claim', async () => {
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'br0ker\n');
    const { code } = await make(
      ...['--secret-file', passwordFile, '--validity', '90m', '--org', 'acme', '--extensions', '{"rack":7}'],
      ...['--url', 'nats://a:4222', '--url', 'nats://b:4222', '--srv', 'example.net', '--secure'],
      ...[
        '--username',
        'prov',
        '--password-file',
        passwordFile,
        '--registration',
        '/r.json',
        '--facts',
        '/f.json',
      ],
      ...['--protocol-v2', '--upgrades'],
    );
    expect(code).toBe(0);
    expect(opened().claims).toMatchObject({
      cht: 'br0ker',
      chs: true,
      chu: 'nats://a:4222,nats://b:4222',
      chsrv: 'example.net',
      chpd: false,
      chrd: '/r.json',
      chf: '/f.json',
      chusr: 'prov',
      chpwd: 'br0ker',
      extensions: { rack: 7 },
      ou: 'acme',
      v2: true,
      update: true,
      exp: nowSeconds + 5400,
    });
    expect(() => statSync(`${token}.secret`)).toThrow('ENOENT');
  });

  test('the secret may come from standard input, and is the first line of it', async () => {
    const { code } = await slipway(
      ['token', 'provisioning', token, '--signing-key', seed, '--secret-file', '-', '--validity', 'never'],
      { input: 'newest\nolder\n' },
    );
    expect(code).toBe(0);
    expect(opened().claims).toMatchObject({ cht: 'newest' });
    expect(opened().claims).not.toHaveProperty('exp');
  });

  test('--ca puts the hash of the CA beside other extensions', async () => {
    const certs = join(folder, 'certs');
    await slipway(['certs', 'dev', certs]);
    const der = new X509Certificate(readFileSync(join(certs, 'ca.pem'))).raw;
    await make('--ca', join(certs, 'ca.pem'), '--extensions', '{"rack":7}');
    const hash = createHash('sha256').update(der).digest('hex');
    expect(opened().claims.extensions).toEqual({ rack: 7, slipway_ca_sha256: hash });
  });

  test('an RSA key signs with RS256', async () => {
    const { privateKey, publicKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = join(folder, 'rsa.pem');
    writeFileSync(pem, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const { out } = await slipway(['token', 'provisioning', token, '--signing-key', pem]);
    const spki = rsa.export({ format: 'der', type: 'spki' }).toString('hex');
    expect(opened(spki, 'sha256')).toMatchObject({ signed: true, header: '{"alg":"RS256","typ":"JWT"}' });
    expect(out).toContain(String(rsa.export({ format: 'pem', type: 'spki' })));
  });

  test('says what nodes will lack that have no CA, and no word to be provisioned', async () => {
    expect((await make()).err).toMatch(/without --ca: .*\nwithout --default: /);
    await slipway(['certs', 'dev', join(folder, 'certs')]);
    expect(await make('--force', '--default', '--ca', join(folder, 'certs/ca.pem'))).toMatchObject({
      err: '',
    });
  });

  test('neither token nor secret is ever replaced without --force', async () => {
    await make();
    const before = readFileSync(token, 'utf8');
    const again = await make();
    expect(again.code).toBe(1);
    expect(again.err).toContain(`${token} and ${token}.secret are there already`);
    expect(readFileSync(token, 'utf8')).toBe(before);
    expect(await make('--force')).toMatchObject({ code: 0 });
    expect(readFileSync(token, 'utf8')).not.toBe(before);
  });
});

describe('slipway token provisioning refuses, with exit code 2,', () => {
  async function refused(...options: string[]): Promise<string> {
    const { code, out, err } = await make(...options);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(() => statSync(token)).toThrow('ENOENT');
    return err;
  }

  test('values that cannot be', async () => {
    expect(await refused('--validity', '30')).toContain('30s');
    expect(await refused('--validity', '0s')).toContain('a second or more');
    expect(await refused('--extensions', '[1]')).toContain('JSON object');
    expect(await refused('--extensions', '{')).toContain('JSON object');
    expect(await refused('--token', 's3cret')).toContain('--token');
  });

  test('to write over what it reads, also with --force', async () => {
    const before = readFileSync(seed, 'utf8');
    const { code, err } = await slipway(['token', 'provisioning', seed, '--signing-key', seed, '--force']);
    expect(code).toBe(2);
    expect(err).toContain('named twice');
    expect(readFileSync(seed, 'utf8')).toBe(before);
  });

  test('files that are not what they should be, by name and without a word of what they hold', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, 'not a key\n');
    const wrongKey = await slipway(['token', 'provisioning', token, '--signing-key', other]);
    expect(wrongKey.code).toBe(2);
    expect(wrongKey.err).toContain(`${other} is no key to sign with`);
    expect(wrongKey.err).not.toContain('not a key');
    expect(await refused('--ca', other)).toContain(`${other} is no certificate`);
    expect(await refused('--secret-file', join(folder, 'nowhere'))).toMatch(/nowhere/);
    writeFileSync(other, ' \n');
    expect(await refused('--secret-file', other)).toContain('is empty');
    expect(await refused('--secret-file', '-', '--password-file', '-')).toContain('standard input');
  });

  test('a certificate that is no CA, and two of them', async () => {
    const certs = join(folder, 'certs');
    await slipway(['certs', 'dev', certs]);
    expect(await refused('--ca', join(certs, 'discovery.pem'))).toContain('not the certificate of a CA');
    const both = join(folder, 'both.pem');
    const ca = readFileSync(join(certs, 'ca.pem'), 'utf8');
    writeFileSync(both, ca + ca);
    expect(await refused('--ca', both)).toContain('2 certificates');
  });
});
