import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigFiles, problemsOf } from '../../test/fakes/sample-config.js';
import {
  duration,
  hostPortOrFile,
  later,
  listenAddress,
  listOf,
  network,
  path,
  text,
  verificationKey,
} from './fields.js';
import { loadConfig } from './load.js';

const files = new ConfigFiles();

afterEach(() => files.remove());

const schema = z.object({
  listen: listenAddress().optional(),
  targets: listOf(hostPortOrFile()).default([]),
  networks: listOf(network()).default([]),
  hold: duration({ max: '1d' }).prefault('60s'),
  name: text('a name').optional(),
  key: verificationKey().optional(),
  validity: later('1y', 'signing'),
  features: z.object({ jwt: later(false, 'checking tokens') }).prefault({}),
  cert: later(undefined, 'a certificate'),
});

function load(yaml: string) {
  const file = files.file(yaml);
  const { config } = loadConfig({ schema, service: 'test', source: { file, env: {} } });
  return { config, folder: dirname(file) };
}

describe('a key to verify with', () => {
  const hex = 'ab'.repeat(32);

  it('is a file beside the settings', () => {
    const { config, folder } = load('key: keys/site.pem\n');
    expect(config.key).toBe(join(folder, 'keys/site.pem'));
  });

  it('is the key itself where it is hex, and there is no such file', () => {
    expect(load(`key: ${hex}\n`).config.key).toBe(hex);
    const file = files.file(`key: ${hex}\n`);
    writeFileSync(join(dirname(file), hex), 'a key');
    const { config } = loadConfig({ schema, service: 'test', source: { file, env: {} } });
    expect(config.key).toBe(join(dirname(file), hex));
  });
});

describe('an address to listen on', () => {
  it.each(['0.0.0.0:0', '[::]:7410', 'localhost:7410'])('may be %s', (address) => {
    expect(load(`listen: "${address}"`).config.listen).toBe(address);
  });

  it.each([':7410', '::1:7410', 'localhost', '[::1]:70000'])('may not be %s, and why is said', (address) => {
    expect(problemsOf(() => load(`listen: "${address}"`))).toEqual([
      expect.stringMatching(/^listen: expected an address to listen on such as .*: .+/),
    ]);
  });
});

describe('a target', () => {
  it('is an address, or a file relative to the configuration file', () => {
    const { config, folder } = load('targets: [node1:7430, nodes.txt, /etc/nodes.txt]');
    expect(config.targets).toEqual(['node1:7430', join(folder, 'nodes.txt'), '/etc/nodes.txt']);
  });
});

describe('a network', () => {
  it('is an address range, or an address', () => {
    const networks = ['127.0.0.0/8', 'fd00::/8', '10.1.2.3'];
    expect(load(`networks: ${JSON.stringify(networks)}`).config.networks).toEqual(networks);
  });

  it('is refused where it is none', () => {
    expect(problemsOf(() => load('networks: [10.0.0.0/33]'))).toEqual([
      expect.stringMatching(/^networks\[0\]: expected a network such as /),
    ]);
  });
});

describe('a duration', () => {
  it('has bounds', () => {
    expect(load('hold: 1d').config.hold).toBe(86_400_000);
    expect(problemsOf(() => load('hold: 25h'))).toEqual([
      'hold: expected a duration of at most 1d, got 1d1h (line 1)',
    ]);
  });
});

describe('a text', () => {
  it('is trimmed and not empty', () => {
    expect(load('name: " a b "').config.name).toBe('a b');
    expect(problemsOf(() => load('name: " "'))).toHaveLength(1);
  });
});

describe('a setting of a later version', () => {
  it('has its default, which may also be written', () => {
    const expected = { validity: '1y', features: { jwt: false } };
    expect(load('').config).toMatchObject(expected);
    expect(load('validity: 1y\nfeatures: {jwt: false}').config).toMatchObject(expected);
  });

  it('refuses anything else and says that it is not available', () => {
    expect(problemsOf(() => load('validity: 2y\nfeatures: {jwt: true}\ncert: a.pem'))).toEqual([
      'validity: signing is not available in this version; leave it out, or "1y" (line 1)',
      'features.jwt: checking tokens is not available in this version; leave it out, or false (line 2)',
      'cert: a certificate is not available in this version; leave it out (line 3)',
    ]);
  });
});

describe('a path', () => {
  const pathSchema = z.object({ file: path().optional(), key: verificationKey().optional() });
  const problemsWith = (yaml: string) =>
    problemsOf(() =>
      loadConfig({ schema: pathSchema, service: 'test', source: { file: files.file(yaml), env: {} } }),
    );

  it.each([
    ['"-----BEGIN PRIVATE KEY-----\\nhunter2"', 'what looks like PEM'],
    ['"hunter2\\nhunter2\\n"', 'a text of several lines'],
    ['eyJhbGciOiJFZERTQSJ9.eyJjaHQiOiJodW50ZXIyIn0.aHVudGVyMg', 'what looks like a token'],
  ])('is not what belongs into the file, which no message shows: %s', (text, got) => {
    for (const setting of ['file', 'key']) {
      const problem = `${setting}: expected a path, got ${got}; write it into a file and name that (line 1)`;
      expect(problemsWith(`${setting}: ${text}\n`)).toEqual([problem]);
    }
  });

  it('is no key in hex, unless there is a file of that name', () => {
    const hex = 'ab'.repeat(32);
    const [problem] = problemsWith(`file: ${hex}\n`);
    expect(problem).toMatch(/^file: expected a path, got what looks like a key/);
    expect(problem).not.toContain(hex);
    const file = files.file(`file: ${hex}\n`);
    writeFileSync(join(dirname(file), hex), 'a key');
    expect(
      problemsOf(() => loadConfig({ schema: pathSchema, service: 'test', source: { file, env: {} } })),
    ).toEqual([]);
  });
});
