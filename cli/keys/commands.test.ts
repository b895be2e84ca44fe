import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { slipway, testFolder } from '../../test/fakes/fake-terminal.js';

const hexKey = /^[0-9a-f]{64}$/;

/** The public key of a seed, by Node's own means. */
function publicOf(seed: string): string {
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(seed, 'hex'),
  ]);
  const { x } = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  return Buffer.from(x ?? '', 'base64url').toString('hex');
}

describe('slipway keys new', () => {
  test('writes the seed for its owner alone, and prints the public key alone', async () => {
    const file = join(testFolder(), 'signer.seed');
    const { code, out, err } = await slipway(['keys', 'new', file]);
    expect(code).toBe(0);
    const seed = readFileSync(file, 'utf8');
    expect(seed).toMatch(hexKey);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out).toBe(`${publicOf(seed)}\n`);
    expect(err).toContain(file);
    expect(out + err).not.toContain(seed);
  });

  test('--public writes the public key, too', async () => {
    const folder = testFolder();
    const publicFile = join(folder, 'signer.public');
    const { out } = await slipway(['keys', 'new', join(folder, 'signer.seed'), '--public', publicFile]);
    expect(`${readFileSync(publicFile, 'utf8')}\n`).toBe(out);
    expect(statSync(publicFile).mode & 0o777).toBe(0o644);
  });

  test('what is there is left alone, both files of it, unless --force is said', async () => {
    const folder = testFolder();
    const file = join(folder, 'signer.seed');
    const publicFile = join(folder, 'signer.public');
    writeFileSync(publicFile, 'precious');
    const refused = await slipway(['keys', 'new', file, '--public', publicFile]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`${publicFile} is there already`);
    expect(() => statSync(file)).toThrow('ENOENT');

    expect(await slipway(['keys', 'new', file, '--public', publicFile, '--force'])).toMatchObject({
      code: 0,
    });
    expect(readFileSync(publicFile, 'utf8')).toMatch(hexKey);
  });

  test('both keys in one file would be none: exit code 2, also with --force', async () => {
    const folder = testFolder();
    const file = join(folder, 'signer.seed');
    const { code, err } = await slipway([
      'keys',
      'new',
      file,
      '--public',
      `${folder}/./signer.seed`,
      '--force',
    ]);
    expect(code).toBe(2);
    expect(err).toContain('named twice');
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  test('a folder that is not there is named', async () => {
    const { code, err } = await slipway(['keys', 'new', join(testFolder(), 'nowhere/signer.seed')]);
    expect(code).toBe(1);
    expect(err).toMatch(/cannot write .*nowhere\/signer\.seed/);
  });
});
