import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger, type Logger, loggerTo, prettyTo } from './logger.js';
import { Secret } from './secret.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'slipway-logger-'));
  folders.push(made);
  return made;
}

/** What a logger at debug wrote, line by line. */
function lines(write: (log: Logger) => void): Record<string, unknown>[] {
  const written: string[] = [];
  write(
    loggerTo({ write: (line) => written.push(line) }, { service: 'discovery', site: 'lab', level: 'debug' }),
  );
  return written.map((line) => JSON.parse(line));
}

describe('createLogger', () => {
  it('writes JSON with service, site, level as a word and ISO time', () => {
    const [line] = lines((log) => log.info({ identity: 'n1' }, 'hello'));
    expect(line).toEqual({
      service: 'discovery',
      site: 'lab',
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      identity: 'n1',
      msg: 'hello',
    });
  });

  it('writes nothing that a terminal would obey, and loses nothing of it', () => {
    const said = 'node says \u001b[2J\u009b1m\u202e';
    const written: string[] = [];
    const log = loggerTo(
      { write: (line) => written.push(line) },
      { service: 'discovery', site: 'lab', level: 'debug' },
    );
    log.warn({ err: new Error(said), message: said }, said);
    expect(written.join('').trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(written.join(''))).toMatchObject({ err: { message: said }, message: said, msg: said });
  });

  it('shows on a terminal what it would obey, also in stacks', async () => {
    const terminal = new PassThrough();
    const log = loggerTo(prettyTo(terminal, false), { service: 'discovery', site: 'lab', level: 'debug' });
    const said = 'node says \u001b[2J\u009b1m\u202e';
    log.warn({ err: new Error(said), message: said }, said);
    const shown = String((await once(terminal, 'data'))[0]);
    expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(shown).toContain('WARN: node says \\u{1b}[2J\\u{9b}1m\\u{202e}');
    expect(shown).toMatch(/^ +Error: node says .*\n +at /m);
  });

  it('appends to a file', () => {
    const logfile = join(folder(), 'slipway.log');
    for (const message of ['first', 'second']) {
      createLogger({ service: 'discovery', site: 'lab', level: 'info', logfile }).info(message);
    }
    const lines = readFileSync(logfile, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['first', 'second']);
  });

  it('says at once that a file cannot be opened', () => {
    const logfile = folder();
    expect(() => createLogger({ service: 'x', site: 'lab', level: 'info', logfile })).toThrow(/EISDIR/);
  });

  it('writes nothing below its level', () => {
    const logfile = join(folder(), 'slipway.log');
    createLogger({ service: 'discovery', site: 'lab', level: 'warn', logfile }).info('hello');
    expect(readFileSync(logfile, 'utf8')).toBe('');
  });

  it('goes on, and says so once on standard error, where the disk is full', () => {
    const script = `
      import { createLogger } from '${new URL('./logger.ts', import.meta.url).href}';
      const log = createLogger({ service: 'x', site: 'lab', level: 'info', logfile: '/dev/full' });
      for (let line = 0; line < 20_000; line++) log.info('a line of which some 20,000 do not fit in what is kept');
      process.exit(7);
    `;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      { encoding: 'utf8', timeout: 20_000 },
    );
    expect(stderr).toMatch(/^the log cannot be written, lines may be lost: ENOSPC.*\n$/);
    expect(status).toBe(7);
  });

  it('loses no line when the process exits at once', () => {
    const script = `
      import { createLogger } from '${new URL('./logger.ts', import.meta.url).href}';
      const log = createLogger({ service: 'x', site: 'lab', level: 'info', logfile: 'stdout' });
      for (let n = 0; n < 1000; n++) log.info({ n }, 'x'.repeat(100));
      process.exit(0);`;
    const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(run.stdout.trim().split('\n')).toHaveLength(1000);
  });
});

describe('what is in a line', () => {
  it('has no value under a key that names a secret, at any depth and in any spelling', () => {
    const secrets = {
      token: 'hidden',
      SECRET: 'hidden',
      serverJwt: 'hidden',
      key_pem: 'hidden',
      'slipway-proof': 'hidden',
      configurationJson: 'hidden',
      configuration: { plugin: 'hidden' },
    };
    const [line] = lines((log) => log.info({ ...secrets, request: { list: [{ metadata: secrets }] } }, 'x'));
    expect(JSON.stringify(line)).not.toContain('hidden');
    expect(line).toMatchObject({
      token: '[redacted]',
      request: { list: [{ metadata: { SECRET: '[redacted]' } }] },
    });
  });

  it('has none in the bindings of a child logger', () => {
    const [line] = lines((log) =>
      log.child({ identity: 'n1', token: 'hidden', server_jwt: 'hidden' }).info('x'),
    );
    expect(line).toMatchObject({ identity: 'n1', token: '[redacted]', server_jwt: '[redacted]' });
  });

  it('does not reveal a Secret under another name', () => {
    const [line] = lines((log) => log.info({ value: new Secret('hidden') }, 'x'));
    expect(line?.value).toBe('[secret]');
  });

  it('keeps the type, message, stack, cause and fields of an error, without its secrets', () => {
    const error = Object.assign(new TypeError('broken', { cause: new Error('why') }), {
      code: 14,
      token: 'hidden',
    });
    const [asError, asField] = lines((log) => {
      log.error(error, 'failed');
      log.error({ err: error }, 'failed');
    });
    for (const line of [asError, asField]) {
      expect(line).toMatchObject({
        msg: 'failed',
        err: {
          type: 'TypeError',
          message: 'broken: why',
          stack: expect.stringContaining('logger.test.ts'),
          code: 14,
          token: '[redacted]',
        },
      });
    }
  });

  it('shows big integers exactly and bytes by their number', () => {
    const [line] = lines((log) =>
      log.info({ fence: 5n, large: 2n ** 63n, deep: { revision: 7n }, bytes: Buffer.alloc(9) }),
    );
    expect(line).toMatchObject({
      fence: 5,
      large: '9223372036854775808',
      deep: { revision: 7 },
      bytes: '[9 bytes]',
    });
  });

  it('keeps dates, nulls and what is missing as JSON does', () => {
    const [line] = lines((log) =>
      log.info({ at: new Date(0), none: null, gone: undefined, list: [1, 'a'] }, 'x'),
    );
    expect(line).toMatchObject({ at: '1970-01-01T00:00:00.000Z', none: null, list: [1, 'a'] });
    expect(line).not.toHaveProperty('gone');
  });

  it('survives an object that contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const [line] = lines((log) => log.info({ loop }, 'x'));
    expect(line?.msg).toBe('x');
  });
});
