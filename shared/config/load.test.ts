import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigFiles, loadSample, minimalConfig, sampleSchema } from '../../test/fakes/sample-config.js';
import { insecureWarnings } from './common.js';
import { ConfigError } from './config-error.js';
import { loadConfig } from './load.js';

const files = new ConfigFiles();

afterEach(() => files.remove());

function load(yaml: string, env: NodeJS.ProcessEnv = {}) {
  return loadSample({ file: files.file(yaml), env });
}

describe('a configuration file', () => {
  it('gives typed settings, with the defaults of what it does not have', () => {
    const { config, warnings } = load(`${minimalConfig}interval: 1m30s\nevents:\n  max_count: 5\n`);
    expect(config).toMatchObject({
      site: 'default',
      loglevel: 'info',
      logfile: 'stdout',
      listen: '0.0.0.0:7420',
      monitor_host: '0.0.0.0',
      monitor_port: 7421,
      shutdown_grace: 20_000,
      discovery: ['d1.example.net:7412'],
      interval: 90_000,
      workers: 64,
      leader_election: false,
      events: { max_count: 5, max_age: 604_800_000 },
    });
    expect(warnings).toEqual([]);
  });

  it('is frozen at any depth', () => {
    const { config } = load(minimalConfig);
    for (const part of [config, config.tls, config.discovery, config.targets, config.events]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('may hold a list as its only entry', () => {
    expect(load('tls: {mode: insecure}\ndiscovery: d1:7412').config.discovery).toEqual(['d1:7412']);
  });

  it('may be empty where the environment suffices', () => {
    const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_DISCOVERY: 'd1:7412' };
    for (const yaml of ['', '# nothing yet\n', '---\n']) {
      expect(load(yaml, env).config.discovery).toEqual(['d1:7412']);
    }
  });

  it('has paths that are relative to its folder', () => {
    const file = files.file(`${minimalConfig}data_dir: state\nlogfile: ../slipway.log`);
    const { config } = loadSample({ file, env: {} });
    expect(config.data_dir).toBe(join(file, '..', 'state'));
    expect(config.logfile).toBe(join(file, '..', '..', 'slipway.log'));
  });

  it('is taken from SLIPWAY_CONFIG where none is named', () => {
    const file = files.file(`${minimalConfig}site: lab`);
    expect(loadSample({ file: undefined, env: { SLIPWAY_CONFIG: file } }).config.site).toBe('lab');
  });

  it('named on the command line comes before SLIPWAY_CONFIG', () => {
    const env = { SLIPWAY_CONFIG: '/does/not/exist' };
    expect(loadSample({ file: files.file(`${minimalConfig}site: lab`), env }).config.site).toBe('lab');
  });

  it('in the default place may be missing', () => {
    const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_DISCOVERY: 'd1:7412' };
    const source = { file: undefined, env };
    expect(loadConfig({ schema: sampleSchema, service: 'no-such-service', source }).config.discovery).toEqual(
      ['d1:7412'],
    );
  });

  it('that is named must exist and be a file', () => {
    expect(() => loadSample({ file: '/no/such.yaml', env: {} })).toThrow(
      '1 problem in /no/such.yaml (named by --config):\n  the configuration file does not exist',
    );
    expect(() => loadSample({ file: undefined, env: { SLIPWAY_CONFIG: '/no/such.yaml' } })).toThrow(
      /named by SLIPWAY_CONFIG/,
    );
    expect(() => loadSample({ file: files.folder(), env: {} })).toThrow(/this is a folder/);
  });

  it.skipIf(process.getuid?.() === 0)('that may not be read says so', () => {
    const file = files.file(minimalConfig);
    chmodSync(file, 0o000);
    expect(() => loadSample({ file, env: {} })).toThrow(/may not be read by this user/);
  });
});

describe('YAML that is wrong', () => {
  it('is reported with line and column', () => {
    expect(() => load('site: lab\nlisten: [a\nworkers: 4\n')).toThrow(/line \d, column \d+: invalid YAML: /);
  });

  it('is reported for a key that is there twice', () => {
    expect(() => load('site: a\nworkers: 3\nsite: b\n')).toThrow(/line 3, column 1: this key is there twice/);
  });

  it('is reported where tabs indent it', () => {
    expect(() => load('tls:\n\tmode: insecure\n')).toThrow(/line 2, column \d: tabs cannot indent YAML/);
  });

  it('is reported for an IPv6 address without quotes, with how to write it', () => {
    expect(() => load('listen: [::1]:7410\n')).toThrow('put an IPv6 address in quotes: "[::1]:7410"');
    expect(() => load('listen: [x:1]:7410\n')).toThrow(/invalid YAML/);
  });

  it.each([
    ['- a\n- b\n', 'a list'],
    ['just words\n', 'a text'],
    ['42\n', 'a number'],
  ])('is reported where %j is no map', (yaml, got) => {
    expect(() => load(yaml)).toThrow(`expected a map of settings (name: value), got ${got}`);
  });

  it('is reported where there is more than one document, or an alias of nothing', () => {
    expect(() => load('site: a\n---\nsite: b\n')).toThrow(/line 2, column 1: another document begins here/);
    expect(() => load('site: *nothing\n')).toThrow(
      /line 1, column 7: .* takes what begins with \* for an alias/,
    );
  });

  it.each([
    ...['*hunter2', '!hunter2', '!hunter2 x', '!!hunter2 x', '!<hunter2> x', '!e!hunter2 x', '|hunter2'],
    ...['>hunter2', '@hunter2', '%hunter2', '&hunter2 *x', ']hunter2', '}hunter2', '"hunter2', "'hunter2"],
    ...['"a" hunter2', '"\\hunter2"', 'a: hunter2', '[hunter2', '{hunter2', '{[hunter2]: a}', '- hunter2'],
    '{{ hunter2 }}',
  ])('is reported without a word of what it holds: token: %s', (value) => {
    const warned = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => warned.mockRestore());
    const said: string[] = [];
    try {
      said.push(...loadSample({ file: files.file(`${minimalConfig}token: ${value}\n`), env: {} }).warnings);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      said.push(error.message);
    }
    expect(said.join('\n')).toMatch(/token|line \d+, column \d+/);
    expect(said.join('\n')).not.toMatch(/hunter2/);
    expect(warned).not.toHaveBeenCalled();
  });
});

describe('tls.mode', () => {
  it.each(['discovery: [d:1]', 'discovery: [d:1]\ntls: {}', 'discovery: [d:1]\ntls: {mode: required}'])(
    'must be written insecure where there are no certificates: %j',
    (yaml) => {
      expect(() => load(yaml)).toThrow(
        /tls\.mode: TLS needs a certificate.*; or write `tls: \{mode: insecure\}`/,
      );
    },
  );

  it('that is insecure is warned about', () => {
    const warn = insecureWarnings;
    const source = { file: files.file(minimalConfig), env: {} };
    const { warnings } = loadConfig({ schema: sampleSchema, service: 'provisioner', source, warn });
    expect(warnings).toEqual([expect.stringMatching(/bearer tokens and proofs protect nothing/)]);
  });
});
