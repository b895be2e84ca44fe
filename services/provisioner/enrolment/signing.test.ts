import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { SiteKeys } from '../../../test/fakes/site-keys.js';
import { SigningFiles, type SigningState } from './signing.js';

let folder: string;
const organisation = new SiteKeys();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-signing-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  // As those who rotate keys do it.
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
  return path;
}

function start(paths: { readonly key: string; readonly token?: string }) {
  const clock = new FakeClock();
  const said: string[] = [];
  const log = {
    warn: (_fields: object, message: string) => said.push(`warn ${message}`),
    info: (_fields: object, message: string) => said.push(`info ${message}`),
  };
  const files = new SigningFiles({ key: paths.key, token: paths.token }, { clock, log });
  return { files, clock, said, now: clock.now() / 1000 };
}

function whyOf(state: SigningState): string {
  return state.kind === 'UNUSABLE' ? `${state.setting} ${state.why}` : '';
}

describe('what signs server tokens', () => {
  const seed = randomBytes(32).toString('hex');

  it('is read anew each time, and parsed only when it has changed', async () => {
    const key = write('key', `${seed}\n`);
    const { files } = start({ key });
    const first = await files.current();
    const second = await files.current();
    expect(first.kind === 'USABLE' && second.kind === 'USABLE' && first.issuer === second.issuer).toBe(true);
    write('key', randomBytes(32).toString('hex'));
    const third = await files.current();
    expect(first.kind === 'USABLE' && third.kind === 'USABLE' && first.issuer !== third.issuer).toBe(true);
  });

  it('may be an RSA key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = write('key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    expect((await start({ key }).files.current()).kind).toBe('USABLE');
  });

  it('says when its token expires, and before there is one that it does not', async () => {
    const key = write('key', seed);
    const { files, now } = start({ key, token: join(folder, 'token') });
    expect(files.expiresAt).toBeUndefined();
    write('token', await organisation.signingToken(seed, { expiresAt: now + 3_600 }));
    await files.current();
    expect(files.expiresAt).toBe(now + 3_600);
  });

  it('is warned about once where it cannot be used, and told when it can again', async () => {
    const key = write('key', seed);
    const { files, said } = start({ key });
    await files.current();
    rmSync(key);
    expect(whyOf(await files.current())).toMatch(/^jwt_signing_key .*key: cannot be read: ENOENT/);
    await files.current();
    write('key', 'nonsense');
    await files.current();
    await files.current();
    write('key', seed);
    await files.current();
    expect(said).toEqual([
      expect.stringMatching(/^warn server tokens cannot be signed: jwt_signing_key .*ENOENT.*; runs wait/),
      expect.stringMatching(/^warn server tokens cannot be signed: jwt_signing_key .*; runs wait/),
      'info server tokens can be signed again',
    ]);
    expect(said.join()).not.toContain(seed);
    expect(said.join()).not.toContain('nonsense');
  });

  it('waits for the other half where key and token are changed one after the other', async () => {
    const { clock } = start({ key: '' });
    const now = clock.now() / 1000;
    const next = randomBytes(32).toString('hex');
    const key = write('key', seed);
    const token = write('token', await organisation.signingToken(seed, { expiresAt: now + 3_600 }));
    const { files } = start({ key, token });
    expect((await files.current()).kind).toBe('USABLE');
    write('key', next);
    expect(whyOf(await files.current())).toMatch(/^jwt_signing_token /);
    write('token', await organisation.signingToken(next, { expiresAt: now + 3_600 }));
    expect((await files.current()).kind).toBe('USABLE');
  });

  it.each([
    ['has expired', -1, 'choria_client_id', /expired/],
    ['expires at once', 59, 'choria_client_id', /expires within a minute/],
    ['is of another purpose', 3_600, 'choria_server', /purpose/],
  ])('is not used with a token that %s', async (_name, validFor, purpose, why) => {
    const key = write('key', seed);
    const token = join(folder, 'token');
    const { files, now } = start({ key, token });
    write('token', await organisation.signingToken(seed, { expiresAt: now + validFor, purpose }));
    const said = whyOf(await files.current());
    expect(said).toMatch(/^jwt_signing_token /);
    expect(said).toMatch(why);
  });

  it('stops being used when its token expires while nothing is changed', async () => {
    const key = write('key', seed);
    const token = join(folder, 'token');
    const { files, clock, now } = start({ key, token });
    write('token', await organisation.signingToken(seed, { expiresAt: now + 120 }));
    expect((await files.current()).kind).toBe('USABLE');
    await clock.advance(120_000);
    expect(whyOf(await files.current())).toMatch(/expired/);
  });

  it('is the key, where that is what is wrong', async () => {
    const key = write('key', 'no key');
    const { files, now } = start({ key, token: join(folder, 'token') });
    write('token', await organisation.signingToken(seed, { expiresAt: now + 3_600 }));
    expect(whyOf(await files.current())).toMatch(/^jwt_signing_key /);
  });

  it('is looked at also while no node comes', async () => {
    const key = write('key', seed);
    const { files, clock, said } = start({ key });
    files.watch();
    rmSync(key);
    // The disk takes its time, whatever the clock says.
    const end = performance.now() + 5_000;
    while (said.length === 0 && performance.now() < end) await clock.advance(10_000);
    expect(said).toHaveLength(1);
    files.close();
  });
});
