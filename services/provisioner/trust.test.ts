import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../shared/config/config-error.js';
import { loggerTo } from '../../shared/logger.js';
import { FakeClock } from '../../test/fakes/fake-clock.js';
import { SiteKeys } from '../../test/fakes/site-keys.js';
import { loadProvisionerConfig } from './config.js';
import { openTrust } from './trust.js';

let folder: string;
const site = new SiteKeys();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-trust-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function open(settings: Readonly<Record<string, unknown>>) {
  const file = join(folder, 'provisioner.yaml');
  const least = { tls: { mode: 'insecure' }, discovery: ['d:1'], helper: 'h' };
  writeFileSync(file, stringify({ ...least, ...settings }));
  const { config } = loadProvisionerConfig({ file, env: {} });
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = loggerTo({ write }, { service: 'provisioner', site: 'lab', level: 'debug' });
  const clock = new FakeClock();
  return { lines, clock, trust: openTrust(config, { clock, log }) };
}

async function problemsOf(settings: Readonly<Record<string, unknown>>): Promise<string[]> {
  const error = await open(settings).trust.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${String(error)}`);
  return error.problems.map(({ path, message }) => `${path}: ${message}`);
}

const keys = { jwt_verify_cert: site.publicKey, jwt_signing_key: 'signing.seed' };

describe('what the provisioner trusts', () => {
  it('is told at start where it cannot be used: everything at once, with the file', async () => {
    const problems = await problemsOf({
      tls: { cert: 'cert.pem', key: 'key.pem', ca: 'ca.pem' },
      features: { ed25519: true },
      jwt_verify_cert: 'org.pem',
      jwt_signing_key: 'signing.seed',
    });
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^tls\.cert: /),
        expect.stringContaining(`jwt_verify_cert: there is no file ${join(folder, 'org.pem')}`),
        expect.stringContaining(`jwt_signing_key: ${join(folder, 'signing.seed')}: cannot be read`),
      ]),
    );
  });

  it.each([
    [
      'a signing key that is none',
      randomBytes(31).toString('hex'),
      undefined,
      /^jwt_signing_key: .*signing\.seed/,
    ],
    ['a signing token that is none', site.seed, 'no token', /^jwt_signing_token: .*token\.jwt/],
  ])('refuses %s, and does not quote it', async (_name, key, token, problem) => {
    writeFileSync(join(folder, 'signing.seed'), key);
    writeFileSync(join(folder, 'token.jwt'), token ?? '');
    const given = token === undefined ? {} : { jwt_signing_token: 'token.jwt' };
    const problems = await problemsOf({ features: { ed25519: true }, ...keys, ...given });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain(key);
  });

  it.each([
    ['the public key', site.publicKey],
    ['the seed', site.seed],
  ])('refuses %s where the key to sign with and the key to verify with are one', async (_name, key) => {
    writeFileSync(join(folder, 'signing.seed'), `${key.toUpperCase()}\n`);
    const problems = await problemsOf({ features: { ed25519: true }, ...keys, jwt_verify_cert: key });
    expect(problems).toEqual([expect.stringMatching(/^jwt_signing_key: .*the same as jwt_verify_cert/)]);
    expect(problems.join().toLowerCase()).not.toContain(key);
  });

  it('warns of secrets that everybody may read', async () => {
    for (const [file, text] of [
      ['signing.seed', site.seed],
      ['tokens', 'secret'],
    ] as const) {
      writeFileSync(join(folder, file), text);
      chmodSync(join(folder, file), 0o644);
    }
    const { trust, lines } = open({ features: { ed25519: true }, ...keys, token_file: 'tokens' });
    (await trust).close();
    expect(lines).toEqual([
      expect.stringMatching(/token_file: .*tokens may be read by every user/),
      expect.stringMatching(/jwt_signing_key: .*signing\.seed may be read by every user/),
    ]);
  });

  it('names the signing key also where its token is missing', async () => {
    writeFileSync(join(folder, 'signing.seed'), 'nonsense');
    const problems = await problemsOf({
      features: { ed25519: true },
      ...keys,
      jwt_signing_token: 'token.jwt',
    });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'jwt_signing_key',
      'jwt_signing_token',
    ]);
  });

  it('needs no file of a feature that is off', async () => {
    const { trust } = open(keys);
    const { enrolment, signing, tls, close } = await trust;
    expect(enrolment.tokens).toBeUndefined();
    expect(enrolment.signing).toBeUndefined();
    expect([signing, tls]).toEqual([undefined, undefined]);
    close();
  });

  it('verifies tokens, signs, and looks at no file after it was closed', async () => {
    writeFileSync(join(folder, 'signing.seed'), site.seed);
    writeFileSync(join(folder, 'tokens'), 'new\nold\n');
    const { trust, clock, lines } = open({
      features: { ed25519: true },
      ...keys,
      token_file: 'tokens',
      cert_deny_list: ['^bob$'],
    });
    const opened = await trust;
    const now = clock.now() / 1000;
    const verified = await opened.enrolment.tokens?.verify(await site.token(now), now);
    expect(verified?.secret?.reveal()).toBe('s3cret');
    expect((await opened.enrolment.signing?.current())?.kind).toBe('USABLE');
    expect(opened.tokens().map((token) => token.reveal())).toEqual(['new', 'old']);
    expect(opened.enrolment.denyList.match('bob')).toBe('^bob$');
    expect(opened.enrolment.denyList.match('x.mcollective')).toBeUndefined();
    opened.close();
    expect(clock.pendingTimers).toBe(0);
    expect(lines.join()).not.toContain(site.seed);
  });
});
