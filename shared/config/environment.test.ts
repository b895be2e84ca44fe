import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigFiles, loadSample, minimalConfig, problemsOf } from '../../test/fakes/sample-config.js';
import { Secret } from '../secret.js';

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

describe('the environment', () => {
  it('wins over the file, at any depth', () => {
    const { config } = load(`${minimalConfig}site: file\nevents: {max_count: 3, max_age: 1d}`, {
      SLIPWAY_SITE: 'env',
      SLIPWAY_EVENTS_MAX_COUNT: '4',
    });
    expect(config.site).toBe('env');
    expect(config.events).toEqual({ max_count: 4, max_age: 86_400_000 });
  });

  it('is read as what the setting takes', () => {
    const { config } = load(minimalConfig, {
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
    const file = files.file(minimalConfig);
    const { config } = loadSample({ file, env: { SLIPWAY_DATA_DIR: 'state' } });
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
      { SLIPWAY_TLS_ROLES_VIEWER: 'DNS:a,b' },
      'tls.roles.viewer[1]: the pattern "b" begins neither with URI: nor with DNS: (from SLIPWAY_TLS_ROLES_VIEWER)',
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
    const { config, warnings } = load(`${minimalConfig}site: file`, { SLIPWAY_SITE: ' ' });
    expect(config.site).toBe('file');
    expect(warnings).toEqual(['SLIPWAY_SITE is empty and counts as not set']);
  });

  it('may hold settings of other services: they only warn, with the nearest that is known', () => {
    const { warnings } = load(minimalConfig, {
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

  it('may tell the slipway command where services are: nothing is said of that', () => {
    expect(load(minimalConfig, { SLIPWAY_PROVISIONER: 'p:7420' }).warnings).toEqual([]);
  });
});
