import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigFiles, loadSample, minimalConfig, problemsOf } from '../../test/fakes/sample-config.js';
import { ConfigError } from './config-error.js';
import { loadConfig } from './load.js';

const files = new ConfigFiles();

afterEach(() => files.remove());

function load(yaml: string, env: NodeJS.ProcessEnv = {}) {
  return loadSample({ file: files.file(yaml), env });
}

/** What is wrong with a configuration that is otherwise good. */
function problemsWith(yaml: string, env: NodeJS.ProcessEnv = {}): string[] {
  const valid = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_DISCOVERY: 'd:7412' };
  return problemsOf(() => load(yaml, { ...valid, ...env }));
}

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
      expect.stringMatching(/^ {2}tls\.mode: TLS needs a certificate.*; or write `tls: \{mode: insecure\}`/),
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

  it('come with what the environment has that no setting takes, which may be why', () => {
    const env = { SLIPWAY_TLS_MOED: 'insecure', SLIPWAY_SITE: '' };
    expect(() => load('discovery: [d:1]', env)).toThrow(
      /tls\.mode: TLS needs .*\n {2}note: SLIPWAY_SITE is empty.*\n {2}note: SLIPWAY_TLS_MOED is no setting.*; did you mean SLIPWAY_TLS_MODE\?$/,
    );
  });

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
    ['events.max_count: 3', 'events.max_count: expected to be nested: events: { max_count: … }'],
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
    const { warnings } = load(`${minimalConfig}choria_insecure: true`);
    expect(warnings).toEqual([
      'choria_insecure is a setting of Choria Provisioner that has no meaning here; it is ignored',
    ]);
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
    const source = { file: files.file(yaml), env: {} };
    expect(() => loadConfig({ schema: plain, service: 'x', source })).toThrow(`\n  ${problem}`);
  });
});
