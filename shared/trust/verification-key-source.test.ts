import promises, { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../../test/fakes/fake-clock.js';
import { ed25519KeyFromSeed, rawPublicKey } from './raw-keys.js';
import { VerificationKeySource } from './verification-key-source.js';

let folder: string;
let file: string;
let warnings: string[];
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  folder = await mkdtemp(join(tmpdir(), 'slipway-key-'));
  file = join(folder, 'key');
  warnings = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function key(number: number): string {
  return rawPublicKey(ed25519KeyFromSeed(Buffer.alloc(32, number))).toString('hex');
}

function open(setting: string): Promise<VerificationKeySource> {
  return VerificationKeySource.open(setting, { clock, warn: (message) => warnings.push(message) });
}

async function current(source: VerificationKeySource): Promise<string> {
  return rawPublicKey((await source.current()).key).toString('hex');
}

async function aSecondLater(source: VerificationKeySource): Promise<string> {
  await clock.advance(1_000);
  return current(source);
}

test('a setting that is no file is the key', async () => {
  expect(await current(await open(key(1)))).toBe(key(1));
});

test('a file holds the key, and white space', async () => {
  await writeFile(file, `${key(1)}\n`);
  expect(await current(await open(file))).toBe(key(1));
});

test('as long as the file does not change, the key is the same object', async () => {
  await writeFile(file, key(1));
  const source = await open(file);
  expect(await source.current()).toBe(await source.current());
});

test('a file that is written or replaced is read again', async () => {
  await writeFile(file, key(1));
  const source = await open(file);
  await writeFile(file, `${key(2)}\n`);
  expect(await current(source)).toBe(key(2));
  await writeFile(join(folder, 'new'), key(3));
  await rename(join(folder, 'new'), file);
  expect(await aSecondLater(source)).toBe(key(3));
});

test('it is looked at once a second at most, however often the key is asked for', async () => {
  await writeFile(file, key(1));
  const source = await open(file);
  expect(await current(source)).toBe(key(1));
  await writeFile(file, `${key(2)}\n`);
  await clock.advance(999);
  expect([await current(source), await current(source)]).toEqual([key(1), key(1)]);
  await clock.advance(1);
  expect(await current(source)).toBe(key(2));
});

test('a file that cannot be used leaves the last key, and is complained of once', async () => {
  await writeFile(file, key(1));
  const source = await open(file);
  await writeFile(file, key(2).slice(1));
  expect([await aSecondLater(source), await aSecondLater(source)]).toEqual([key(1), key(1)]);
  expect(warnings).toEqual([
    expect.stringMatching(/key is no key to verify with: .*64 hex digits.*stays in use$/),
  ]);
  await rm(file);
  expect([await aSecondLater(source), await aSecondLater(source)]).toEqual([key(1), key(1)]);
  expect(warnings[1]).toContain('ENOENT');
  expect(warnings).toHaveLength(2);
  await writeFile(file, key(2));
  expect(await aSecondLater(source)).toBe(key(2));
  await rm(file);
  await aSecondLater(source);
  expect(warnings).toHaveLength(3);
});

test('a new file that could not be read at once is read once it can be', async () => {
  await writeFile(file, key(1));
  const source = await open(file);
  await writeFile(file, `${key(2)}\n`);
  const { readFile } = promises;
  const readWith = (read: typeof readFile) => {
    promises.readFile = read;
    syncBuiltinESMExports();
  };
  readWith((() => Promise.reject(new Error('EMFILE: too many open files'))) as typeof readFile);
  try {
    expect(await current(source)).toBe(key(1));
  } finally {
    readWith(readFile);
  }
  expect(await aSecondLater(source)).toBe(key(2));
});

test('many who ask at once all get the new key', async () => {
  await writeFile(file, key(1));
  const source = await open(file);
  await writeFile(file, `${key(2)}\n`);
  const keys = await Promise.all(Array.from({ length: 20 }, () => current(source)));
  expect(new Set(keys)).toEqual(new Set([key(2)]));
});

test('a file without a usable key is refused by name', async () => {
  await writeFile(file, 'swordfish');
  await expect(open(file)).rejects.toMatchObject({
    name: 'TrustError',
    message: expect.stringMatching(/^\S+key is no key to verify with: .*neither PEM/),
  });
  await expect(open(folder)).rejects.toThrow(/EISDIR/);
});

test('what is neither a file nor a key is refused as both', async () => {
  await expect(open(join(folder, 'missing.pem'))).rejects.toThrow(
    /there is no file .*missing\.pem, and it is not the 64 hex digits/,
  );
  await expect(open(key(1).slice(2))).rejects.toThrow(/64 hex digits/);
  await expect(open('')).rejects.toThrow(/there is no file/);
});

test('a private key in the place of a file or a key is not shown', async () => {
  const pem = '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----';
  await expect(open(pem)).rejects.toThrow(/^the key is no key to verify with: this is a private key/);
});
