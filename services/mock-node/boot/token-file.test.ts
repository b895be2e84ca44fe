import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StartError } from '../../../shared/process/start-error.js';
import { Secret } from '../../../shared/secret.js';
import { SiteKeys } from '../../../test/fakes/site-keys.js';
import { TokenFile } from './token-file.js';

const site = new SiteKeys();
const now = 1_900_000_000;
const caSha256 = 'ab'.repeat(32);

let path: string;
let warnings: string[];

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  path = join(folder, 'token.jwt');
  warnings = [];
});

async function open(text: string, secret?: string): Promise<TokenFile> {
  writeFileSync(path, text);
  const own = secret === undefined ? undefined : new Secret(secret);
  return await TokenFile.open(path, own, (message) => warnings.push(message));
}

async function problemOf(text: string, secret?: string): Promise<string> {
  const error = await open(text, secret).then(
    () => expect.fail('it was taken'),
    (refused: unknown) => refused,
  );
  if (!(error instanceof StartError)) throw error;
  expect(error.message).toContain(path);
  return error.message;
}

test('a token tells the secret, the CA and the default mode', async () => {
  const token = await site.token(now, { provisioningByDefault: true, caSha256, expiresAt: now + 60 });
  const file = await open(`\n${token}\n`);
  const read = await file.current();
  expect(read).toMatchObject({ provisioningByDefault: true, caSha256, expiresAt: now + 60 });
  expect(read.text.reveal()).toBe(token);
  expect(read.secret?.reveal()).toBe('s3cret');
  expect((await (await open(token, 's3cret')).current()).secret?.reveal()).toBe('s3cret');
});

describe('a file that cannot be used is named, with what to do', () => {
  test('that is missing or empty', async () => {
    await expect(TokenFile.open(join(path, 'x'), undefined, () => {})).rejects.toThrow(
      /--jwt-file .* cannot be read/,
    );
    expect(await problemOf(' \n')).toContain('is empty');
  });

  test('that holds no token, or one for something else', async () => {
    expect(await problemOf('s3cret')).toContain('holds no provisioning token');
    const [header, , signature] = (await site.token(now)).split('.');
    const claims = Buffer.from('{"purpose":"choria_server","cht":"hunter2"}').toString('base64url');
    const problem = await problemOf([header, claims, signature].join('.'));
    expect(problem).toContain('choria_server');
    expect(problem).not.toContain('hunter2');
  });

  test('whose secret is not that of --secret-file', async () => {
    const problem = await problemOf(await site.token(now), 'hunter2');
    expect(problem).toContain('leave out --secret-file');
    expect(problem).not.toMatch(/hunter2|s3cret/);
  });
});

describe('a file that changes', () => {
  test('is read anew', async () => {
    const file = await open(await site.token(now));
    writeFileSync(path, await site.token(now + 1, { secret: new Secret('next') }));
    expect((await file.current()).secret?.reveal()).toBe('next');
  });

  test('into one that cannot be used is warned of once, and what it held stays', async () => {
    const file = await open(await site.token(now));
    writeFileSync(path, 'junk');
    expect((await file.current()).secret?.reveal()).toBe('s3cret');
    await file.current();
    expect(warnings).toEqual([expect.stringContaining('the token that was there before stays in use')]);
    writeFileSync(path, await site.token(now + 1));
    await file.current();
    rmSync(path);
    await file.current();
    expect(warnings).toHaveLength(2);
  });
});
