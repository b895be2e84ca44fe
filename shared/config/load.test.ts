import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Secret } from '../secret.js';
import { commonFields, insecureWarnings } from './common.js';
import { ConfigError } from './config-error.js';
import { duration, enumOf, hostPort, later, listOf, oneOrList, path, secret, wholeNumber } from './fields.js';
import { type ConfigSource, loadConfig } from './load.js';
import { rule } from './rule.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'slipway-config-'));
  folders.push(made);
  return made;
}

function fileWith(yaml: string): string {
  const file = join(folder(), 'provisioner.yaml');
  writeFileSync(file, yaml);
  return file;
}

const schema = z.object({
  ...commonFields({ listen: '0.0.0.0:7420', monitorPort: 7421 }),
  discovery: oneOrList(hostPort()),
  interval: duration({ min: '1s' }).prefault('1m'),
  workers: wholeNumber(1, 1000).default(64),
  ratio: z.number().min(0).max(1).default(0.5),
  optional: z.boolean().default(false),
  helper_mode: enumOf(['exec', 'persistent']).default('exec'),
  targets: listOf(hostPort()).default([]),
  numbers: listOf(wholeNumber()).default([]),
  data_dir: path().default('/var/lib/slipway'),
  token: oneOrList(secret()).optional(),
  leader_election: later(false, 'leader election'),
  events: z
    .object({ max_count: wholeNumber(1).default(1000), max_age: duration().prefault('7d') })
    .prefault({}),
});

function load(yaml: string, env: NodeJS.ProcessEnv = {}) {
  return loadFrom({ file: fileWith(yaml), env });
}

function loadFrom(source: ConfigSource) {
  const originalKeys = ['choria_insecure', 'features.broker'];
  return loadConfig({ schema, service: 'provisioner', source, originalKeys });
}

/** What is wrong with a configuration that is otherwise good. */
function problemsWith(yaml: string, env: NodeJS.ProcessEnv = {}): string[] {
  const valid = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_DISCOVERY: 'd:7412' };
  try {
    load(yaml, { ...valid, ...env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => `${problem.path}: ${problem.message}`);
  }
  return [];
}

const minimal = 'tls: {mode: insecure}\ndiscovery: [d1.example.net:7412]\n';

describe('a configuration file', () => {
  it('gives typed settings, with the defaults of what it does not have', () => {
    const { config, warnings } = load(`${minimal}interval: 1m30s\nevents:\n  max_count: 5\n`);
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
    const { config } = load(minimal);
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
    const file = fileWith(`${minimal}data_dir: state\nlogfile: ../slipway.log`);
    const { config } = loadFrom({ file, env: {} });
    expect(config.data_dir).toBe(join(file, '..', 'state'));
    expect(config.logfile).toBe(join(file, '..', '..', 'slipway.log'));
  });

  it('is taken from SLIPWAY_CONFIG where none is named', () => {
    const file = fileWith(`${minimal}site: lab`);
    expect(loadFrom({ file: undefined, env: { SLIPWAY_CONFIG: file } }).config.site).toBe('lab');
  });

  it('named on the command line comes before SLIPWAY_CONFIG', () => {
    const env = { SLIPWAY_CONFIG: '/does/not/exist' };
    expect(loadFrom({ file: fileWith(`${minimal}site: lab`), env }).config.site).toBe('lab');
  });

  it('in the default place may be missing', () => {
    const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_DISCOVERY: 'd1:7412' };
    const source = { file: undefined, env };
    expect(loadConfig({ schema, service: 'no-such-service', source }).config.discovery).toEqual(['d1:7412']);
  });

  it('that is named must exist and be a file', () => {
    expect(() => loadFrom({ file: '/no/such.yaml', env: {} })).toThrow(
      '1 problem in /no/such.yaml (named by --config):\n  the configuration file does not exist',
    );
    expect(() => loadFrom({ file: undefined, env: { SLIPWAY_CONFIG: '/no/such.yaml' } })).toThrow(
      /named by SLIPWAY_CONFIG/,
    );
    expect(() => loadFrom({ file: folder(), env: {} })).toThrow(/this is a folder/);
  });

  it.skipIf(process.getuid?.() === 0)('that may not be read says so', () => {
    const file = fileWith(minimal);
    chmodSync(file, 0o000);
    expect(() => loadFrom({ file, env: {} })).toThrow(/may not be read by this user/);
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

  it.each([
    ['- a\n- b\n', 'a list'],
    ['just words\n', 'a text'],
    ['42\n', 'a number'],
  ])('is reported where %j is no map', (yaml, got) => {
    expect(() => load(yaml)).toThrow(`expected a map of settings (name: value), got ${got}`);
  });

  it('is reported where there is more than one document, or an alias of nothing', () => {
    expect(() => load('site: a\n---\nsite: b\n')).toThrow(/multiple documents/);
    expect(() => load('site: *nothing\n')).toThrow(ConfigError);
  });
});

describe('problems', () => {
  it('are all reported at once, each with its path, and say where it was set', () => {
    const yaml = 'workers: many\ninterval: 10ms\nunknown_thing: 1\nevents:\n  max_count: 0\n';
    const error = (() => {
      try {
        return load(yaml, { SLIPWAY_LOGLEVEL: 'loud' });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(ConfigError);
    const lines = (error as ConfigError).message.split('\n');
    expect(lines[0]).toMatch(
      /^7 problems in the configuration of provisioner \(.*provisioner.yaml and the environment\):$/,
    );
    expect(lines.slice(1).sort()).toEqual([
      '  discovery: is required: expected a list (or set SLIPWAY_DISCOVERY)',
      '  events.max_count: expected a whole number of at least 1, got the number 0 (line 5)',
      '  interval: expected a duration of at least 1s, got 10ms (line 2)',
      '  loglevel: expected one of debug, info, warn, error, got the text "loud" (from SLIPWAY_LOGLEVEL)',
      expect.stringMatching(
        /^ {2}tls\.mode: TLS is not available in this version; write `tls: \{mode: insecure\}`/,
      ),
      '  unknown_thing: unknown setting (line 3)',
      '  workers: expected a whole number from 1 to 1000, got the text "many" (line 1)',
    ]);
  });

  it.each([
    [
      'workers: "64"',
      'workers: expected a whole number from 1 to 1000, got the text "64" (write it without quotes) (line 1)',
    ],
    ['workers: 2.5', 'workers: expected a whole number from 1 to 1000, got the number 2.5 (line 1)'],
    ['workers:', 'workers: is empty: expected a whole number from 1 to 1000 (line 1)'],
    ['workers: .nan', 'workers: expected a whole number from 1 to 1000, got the number NaN (line 1)'],
    ['workers: [1]', 'workers: expected a whole number from 1 to 1000, got a list (line 1)'],
    [
      'interval: 60',
      'interval: expected a duration such as 30s, 1m30s or 7d, got the number 60 (it has no unit: 60s is seconds) (line 1)',
    ],
    [
      'interval: "60"',
      'interval: expected a duration such as 30s, 1m30s or 7d, got "60" (a number alone has no unit: "60s" is seconds) (line 1)',
    ],
    ['interval: soon', 'interval: expected a duration such as 30s, 1m30s or 7d, got "soon" (line 1)'],
    ['interval: ""', 'interval: expected a duration such as 30s, 1m30s or 7d, got "" (line 1)'],
    ['interval:', 'interval: is empty: expected a duration such as 30s, 1m30s or 7d (line 1)'],
    [
      'optional: yes',
      'optional: expected true or false, got the text "yes" (write true or false, without quotes) (line 1)',
    ],
    [
      'optional: "true"',
      'optional: expected true or false, got the text "true" (write true or false, without quotes) (line 1)',
    ],
    ['optional: 1', 'optional: expected true or false, got the number 1 (line 1)'],
    ['optional:', 'optional: is empty: expected true or false (line 1)'],
    ['ratio: 1.5', 'ratio: expected at most 1, got the number 1.5 (line 1)'],
    ['ratio: "0.5"', 'ratio: expected a number, got the text "0.5" (write it without quotes) (line 1)'],
    [
      'helper_mode: persistant',
      'helper_mode: expected one of exec, persistent, got the text "persistant"; did you mean persistent? (line 1)',
    ],
    ['site: 7', 'site: expected a name of at most 64 printable ASCII characters, got the number 7 (line 1)'],
    [
      'site: ""',
      'site: expected a name of at most 64 printable ASCII characters, got an empty text (line 1)',
    ],
    [
      'site: "café"',
      'site: expected a name of at most 64 printable ASCII characters, got the text "café" (line 1)',
    ],
    ['data_dir: ""', 'data_dir: expected a path, got an empty text (line 1)'],
    [
      'listen: 7420',
      'listen: expected an address to listen on such as 0.0.0.0:7410 or [::]:7410, got the number 7420 (line 1)',
    ],
    ['targets: a:1', 'targets: expected a list, got a text (line 1)'],
    ['targets: {a: 1}', 'targets: expected a list, got a map (line 1)'],
    [
      'targets: [a:1, 5]',
      'targets[1]: expected host:port such as 10.0.0.1:7410, node.example.net:7410 or [::1]:7410, got the number 5 (line 1)',
    ],
    ['events: 5', 'events: expected a map of settings, got the number 5 (line 1)'],
    ['events:', 'events: is empty: expected a map of settings (line 1)'],
    [
      'leader_election: true',
      'leader_election: leader election is not available in this version; leave it out, or false (line 1)',
    ],
    [
      'monitor_port: 70000',
      'monitor_port: expected a whole number from 0 to 65535, got the number 70000 (line 1)',
    ],
  ])('say what was expected and what was there: %s', (yaml, problem) => {
    expect(problemsWith(yaml)).toEqual([problem]);
  });

  it.each(['a', 'a:0', 'a:99999', ':80', '::1:80', '[::1]', 'a b:1'])(
    'refuse %j as an address of a peer',
    (address) => {
      const [problem, ...more] = problemsWith(`targets: [${JSON.stringify(address)}]`);
      expect(problem).toMatch(/^targets\[0\]: expected host:port such as .*: .+ \(line 1\)$/);
      expect(more).toEqual([]);
    },
  );

  it('never show a secret', () => {
    const texts = [
      ...problemsWith('token: 12345678'),
      ...problemsWith('token: [good, [hunter2]]'),
      ...problemsWith('token: {value: hunter2}'),
      ...problemsWith('tokn: hunter2'),
      ...problemsWith('', { SLIPWAY_TOKN: 'hunter2' }),
    ];
    expect(texts).toHaveLength(4);
    expect(texts.join('\n')).not.toMatch(/hunter2|12345678/);
    expect(texts[0]).toBe('token[0]: expected a text, got a number (put it in quotes) (line 1)');
  });
});

describe('keys that no setting has', () => {
  it.each([
    ['intervall: 1m', 'intervall: unknown setting; did you mean interval? (line 1)'],
    ['helper-mode: exec', 'helper-mode: unknown setting; did you mean helper_mode? (line 1)'],
    ['Workers: 3', 'Workers: unknown setting; did you mean workers? (line 1)'],
    ['tls_mode: insecure', 'tls_mode: unknown setting; did you mean tls.mode? (line 1)'],
    ['max_count: 3', 'max_count: unknown setting; did you mean events.max_count? (line 1)'],
    ['event: {max_count: 3}', 'event: unknown setting; did you mean events? (line 1)'],
    ['events: {max_coutn: 3}', 'events.max_coutn: unknown setting; did you mean events.max_count? (line 1)'],
    ['something_else: 3', 'something_else: unknown setting (line 1)'],
    ['__proto__: {a: 1}', '__proto__: unknown setting (line 1)'],
    ['constructor: 3', 'constructor: unknown setting (line 1)'],
  ])('are problems that suggest the nearest: %s', (yaml, problem) => {
    expect(problemsWith(yaml)).toEqual([problem]);
  });

  it('only warn where Choria Provisioner has them', () => {
    const { warnings } = load(`${minimal}choria_insecure: true`);
    expect(warnings).toEqual([
      'choria_insecure is a setting of Choria Provisioner that has no meaning here; it is ignored',
    ]);
  });
});

describe('the environment', () => {
  it('wins over the file, at any depth', () => {
    const { config } = load(`${minimal}site: file\nevents: {max_count: 3, max_age: 1d}`, {
      SLIPWAY_SITE: 'env',
      SLIPWAY_EVENTS_MAX_COUNT: '4',
    });
    expect(config.site).toBe('env');
    expect(config.events).toEqual({ max_count: 4, max_age: 86_400_000 });
  });

  it('is read as what the setting takes', () => {
    const { config } = load(minimal, {
      SLIPWAY_WORKERS: '8',
      SLIPWAY_RATIO: '0.25',
      SLIPWAY_OPTIONAL: 'TRUE',
      SLIPWAY_INTERVAL: ' 2m ',
      SLIPWAY_TARGETS: 'a:1, b:2,,',
      SLIPWAY_NUMBERS: '1,2',
      SLIPWAY_DISCOVERY: 'd1:1,d2:2',
      SLIPWAY_LEADER_ELECTION: 'false',
      SLIPWAY_DATA_DIR: '/data',
      SLIPWAY_TOKEN: 'one,two',
    });
    expect(config).toMatchObject({
      workers: 8,
      ratio: 0.25,
      optional: true,
      interval: 120_000,
      targets: ['a:1', 'b:2'],
      numbers: [1, 2],
      discovery: ['d1:1', 'd2:2'],
      leader_election: false,
      data_dir: '/data',
    });
    expect(config.token?.map((token) => token.reveal())).toEqual(['one', 'two']);
    expect(config.token?.[0]).toBeInstanceOf(Secret);
  });

  it('has paths that are relative to the file as well', () => {
    const file = fileWith(minimal);
    const { config } = loadFrom({ file, env: { SLIPWAY_DATA_DIR: 'state' } });
    expect(config.data_dir).toBe(join(file, '..', 'state'));
  });

  it.each([
    [
      { SLIPWAY_WORKERS: 'many' },
      'workers: expected a whole number from 1 to 1000, got the text "many" (from SLIPWAY_WORKERS)',
    ],
    [
      { SLIPWAY_WORKERS: '0x10' },
      'workers: expected a whole number from 1 to 1000, got the text "0x10" (from SLIPWAY_WORKERS)',
    ],
    [
      { SLIPWAY_OPTIONAL: 'maybe' },
      'optional: expected true or false, got the text "maybe" (from SLIPWAY_OPTIONAL)',
    ],
    [
      { SLIPWAY_INTERVAL: '60' },
      'interval: expected a duration such as 30s, 1m30s or 7d, got "60" (a number alone has no unit: "60s" is seconds) (from SLIPWAY_INTERVAL)',
    ],
    [
      { SLIPWAY_LEADER_ELECTION: 'true' },
      'leader_election: leader election is not available in this version; leave it out, or false (from SLIPWAY_LEADER_ELECTION)',
    ],
    [
      { SLIPWAY_TLS_CERT: 'a.pem' },
      'tls.cert: a certificate (TLS) is not available in this version; leave it out (from SLIPWAY_TLS_CERT)',
    ],
  ])('has problems that name the variable: %j', (env, problem) => {
    expect(problemsWith('', env)).toEqual([problem]);
  });

  it('names the variable of an entry of a list', () => {
    const [problem] = problemsWith('', { SLIPWAY_TARGETS: 'a:1,b' });
    expect(problem).toMatch(/^targets\[1\]: expected host:port .*\(from SLIPWAY_TARGETS\)$/);
  });

  it('does not hide that the file has something else where a map should be', () => {
    expect(problemsWith('events: 5', { SLIPWAY_EVENTS_MAX_COUNT: '4' })).toEqual([
      expect.stringMatching(/^events: expected a map of settings, got the number 5/),
    ]);
  });

  it('counts an empty variable as not set, and says so', () => {
    const { config, warnings } = load(`${minimal}site: file`, { SLIPWAY_SITE: ' ' });
    expect(config.site).toBe('file');
    expect(warnings).toEqual(['SLIPWAY_SITE is empty and counts as not set']);
  });

  it('may hold settings of other services: they only warn, with the nearest that is known', () => {
    const { warnings } = load(minimal, {
      SLIPWAY_REPORT_INTERVAL: '3s',
      SLIPWAY_WORKRES: '3',
      SLIPWAY_CONFIG: '/elsewhere.yaml',
      OTHER: 'x',
    });
    expect(warnings).toEqual([
      'SLIPWAY_REPORT_INTERVAL is no setting of provisioner and is ignored',
      'SLIPWAY_WORKRES is no setting of provisioner and is ignored; did you mean SLIPWAY_WORKERS?',
    ]);
  });
});

describe('tls.mode', () => {
  it.each(['discovery: [d:1]', 'discovery: [d:1]\ntls: {}', 'discovery: [d:1]\ntls: {mode: required}'])(
    'must be written insecure: %j',
    (yaml) => {
      expect(() => load(yaml)).toThrow(
        /tls\.mode: TLS is not available in this version; write `tls: \{mode: insecure\}`/,
      );
    },
  );

  it('that is insecure is warned about', () => {
    const warn = insecureWarnings;
    const source = { file: fileWith(minimal), env: {} };
    const { warnings } = loadConfig({ schema, service: 'provisioner', source, warn });
    expect(warnings).toEqual([expect.stringMatching(/bearer tokens and proofs protect nothing/)]);
  });
});

describe('a rule over several settings', () => {
  const ruled = z
    .object({
      run_timeout: duration().prefault('10m'),
      upgrade: z.object({ timeout: duration().prefault('2m') }).prefault({}),
      other: wholeNumber().default(1),
    })
    .check(
      rule(['run_timeout', 'upgrade.timeout'], (config) =>
        config.run_timeout < 3 * config.upgrade.timeout ? 'expected at least 3 × upgrade.timeout' : undefined,
      ),
    );

  function problems(yaml: string): string[] {
    try {
      loadConfig({ schema: ruled, service: 'provisioner', source: { file: fileWith(yaml), env: {} } });
      return [];
    } catch (error) {
      return error instanceof ConfigError
        ? error.problems.map(({ path, message }) => `${path}: ${message}`)
        : ['?'];
    }
  }

  it('is reported at its first setting', () => {
    expect(problems('')).toEqual([]);
    expect(problems('run_timeout: 1m')).toEqual([
      'run_timeout: expected at least 3 × upgrade.timeout (line 1)',
    ]);
  });

  it('is judged also where another setting is wrong', () => {
    expect(problems('run_timeout: 1m\nother: x')).toHaveLength(2);
  });

  it('is not judged where one of its own settings is wrong', () => {
    expect(problems('run_timeout: x')).toHaveLength(1);
    expect(problems('upgrade: 3')).toHaveLength(1);
    expect(problems('upgrade: {timeout: 3}')).toHaveLength(1);
  });
});

describe('a schema with plain zod types', () => {
  const plain = z.object({
    names: z.array(z.string().min(2)).min(1).optional(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    servers: z.array(z.strictObject({ host: z.string(), port: z.int() })).optional(),
    labels: z.record(z.string(), z.string()).optional(),
  });

  it.each([
    ['names: []', 'names: expected a list of at least 1 entry, got a list (line 1)'],
    ['names: [a]', 'names[0]: expected a text of at least 2 characters, got the text "a" (line 1)'],
    ['either: 5', 'either: expected a text or a list, got the number 5 (line 1)'],
    ['either: [5]', 'either[0]: expected a text, got the number 5 (line 1)'],
    [
      'servers:\n - host: a\n   port: 1.5',
      'servers[0].port: expected a whole number, got the number 1.5 (line 3)',
    ],
    ['servers:\n - host: a\n   prot: 1\n   port: 2', 'servers[0].prot: unknown setting (line 3)'],
    ['labels: {a: 1}', 'labels.a: expected a text, got the number 1 (line 1)'],
  ])('has sentences as well: %s', (yaml, problem) => {
    const source = { file: fileWith(yaml), env: {} };
    expect(() => loadConfig({ schema: plain, service: 'x', source })).toThrow(`\n  ${problem}`);
  });
});

it('a folder named like the default file is no configuration file', () => {
  const file = join(folder(), 'x.yaml');
  mkdirSync(file);
  expect(() => loadFrom({ file, env: {} })).toThrow(/this is a folder/);
});
