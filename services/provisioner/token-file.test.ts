import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../test/fakes/fake-clock.js';
import { readTokenFile, TokenFile, TokenFileError } from './token-file.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-token-file-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function open(content: string) {
  const path = join(folder, 'tokens');
  writeFileSync(path, content);
  const clock = new FakeClock();
  const said: string[] = [];
  const log = {
    warn: (message: string) => said.push(message),
    info: (message: string) => said.push(message),
  };
  const file = new TokenFile(path, readTokenFile(path), { clock, log });
  const current = () => file.current.map((token) => token.reveal());
  /** Time passes until the file was looked at and what was to be said of it is said, or nothing was. */
  const becomes = async (done: () => boolean) => {
    // The disk takes its time, whatever the clock says.
    const end = performance.now() + 5_000;
    while (!done() && performance.now() < end) await clock.advance(1_000);
    expect(done()).toBe(true);
  };
  /** One look, to its end: only then is the next one waited for. */
  const look = async () => {
    await clock.advance(1_000);
    await vi.waitUntil(() => clock.pendingTimers === 1, 5_000);
  };
  return { path, clock, said, file, current, becomes, look };
}

describe('a token file', () => {
  it('has a token a line, newest first; white space and empty lines do not count', () => {
    const { current } = open(' new \n\n\told\r\n');
    expect(current()).toEqual(['new', 'old']);
  });

  it('is read again when it changes, which is told without its content', async () => {
    const { path, said, current, becomes } = open('old\n');
    writeFileSync(path, 'new\nold\n');
    await becomes(() => said.length > 0);
    expect(current()).toEqual(['new', 'old']);
    expect(said).toEqual([expect.stringContaining('has changed')]);
    expect(said.join()).not.toContain('old');
  });

  it('is used when two looks have found the same in it, for half a secret reads like a whole one', async () => {
    const { path, current, look } = open('old\n');
    for (const half of ['n', 'ne', 'new\nol', 'new\nold\n']) {
      writeFileSync(path, half);
      await look();
      expect(current()).toEqual(['old']);
    }
    await look();
    expect(current()).toEqual(['new', 'old']);
  });

  it('that cannot be used any more leaves what it had, and is warned about once', async () => {
    const { path, said, current, becomes, clock } = open('old\n');
    rmSync(path);
    await becomes(() => said.length > 0);
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(1_000);
    expect(current()).toEqual(['old']);
    expect(said).toEqual([expect.stringMatching(/cannot be read.*stay in use/)]);
    writeFileSync(path, '\n');
    await becomes(() => said.length > 1);
    expect(said[1]).toMatch(/holds no provisioning secret/);
    writeFileSync(path, 'new\n');
    await becomes(() => current()[0] === 'new');
  });

  it('is not looked at after it was closed', () => {
    const { file, clock } = open('old\n');
    file.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('with the token of nodes in place of the secret in it is refused, and not quoted', () => {
    const path = join(folder, 'node.jwt');
    const [header, claims] = ['{"alg":"EdDSA"}', '{"cht":"s"}'].map((part) =>
      Buffer.from(part).toString('base64url'),
    );
    writeFileSync(path, `${header}.${claims}.c2ln\n`);
    expect(() => readTokenFile(path)).toThrow(/expected the secret in it .*FILE\.secret/);
    expect(() => readTokenFile(path)).not.toThrow(/eyJ/);
  });

  it('without a secret is refused', () => {
    writeFileSync(join(folder, 'empty'), ' \n\n');
    expect(() => readTokenFile(join(folder, 'empty'))).toThrow(TokenFileError);
    expect(() => readTokenFile(join(folder, 'missing'))).toThrow(/cannot be read/);
  });
});
