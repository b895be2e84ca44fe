import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FlagError, parseFlags, warningsOf } from './config.js';

const insecure = ['--tls-mode', 'insecure'];

function problemsOf(...args: string[]): string[] {
  try {
    parseFlags(args, 'web-1.example.net');
    return [];
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return error.message.split('\n');
  }
}

test('one node is called as its machine and answers at every address', () => {
  expect(parseFlags(insecure, 'Web-1.Example.Net')).toMatchObject({
    listen: '0.0.0.0:7430',
    discovery: undefined,
    identities: ['web-1.example.net'],
    addressing: 'SINGLE',
    advertiseHost: '',
    directory: undefined,
    tls: false,
    shareCertificate: false,
    caFile: undefined,
    tokenFile: undefined,
    secretFile: undefined,
    monitorPort: 0,
    startWithinMs: 1_000,
    release: undefined,
    upgradable: true,
    upgradeTimeMs: 100,
    logLevel: 'info',
  });
});

describe('a swarm', () => {
  test('has a name for each node, with a number after the first label', () => {
    const config = parseFlags([...insecure, '--nodes', '3', '--identity', 'web.example.net'], '');
    expect(config?.identities).toEqual([
      'web-00001.example.net',
      'web-00002.example.net',
      'web-00003.example.net',
    ]);
    expect(parseFlags([...insecure, '--nodes', '2'], '')?.identities[1]).toBe('node-00002.swarm.local');
  });

  test('differs by loopback address unless ports are asked for', () => {
    expect(parseFlags([...insecure, '--nodes=2'], '')?.addressing).toBe('LOOPBACK');
    expect(parseFlags([...insecure, '--nodes=2', '--addresses=ports'], '')?.addressing).toBe('PORTS');
  });
});

test('which release nodes have, and whether it can be replaced, is said by flags', () => {
  const flags = ['--release=0.29.4', '--upgradable=no', '--upgrade-time', '2s'];
  expect(parseFlags([...insecure, ...flags], 'a')).toMatchObject({
    release: '0.29.4',
    upgradable: false,
    upgradeTimeMs: 2_000,
  });
  expect(problemsOf('--release=', '--upgradable', 'maybe', '--upgrade-time=soon')).toEqual([
    '--release "": is empty',
    '--upgradable maybe: expected yes or no',
    expect.stringContaining('--upgrade-time expected a duration'),
  ]);
  expect(problemsOf('--release', '1.0\n2.0')).toEqual([
    '--release "1.0\\n2.0": a line break or another control character is not allowed',
  ]);
});

test('the nodes of a swarm can be of several kinds, and are named after them', () => {
  const config = parseFlags(
    [...insecure, '--nodes=4', '--personas', 'slow=1,cloned=1', '--identity=web.net'],
    '',
  );
  expect(config?.personas?.map(({ persona, machine }) => [persona.name, machine])).toEqual([
    ['slow', 'web-00001-slow.net'],
    ['cloned', 'web-00002-cloned.net'],
    ['slow', 'web-00003-slow.net'],
    ['cloned', 'web-00004-cloned.net'],
  ]);
  expect(config?.identities.slice(2)).toEqual(['web-00003-slow.net', 'web-00002-cloned.net']);
  expect(parseFlags([...insecure, '--personas=dead=1'], 'a')?.identities).toEqual([
    'node-00001-dead.swarm.local',
  ]);
  expect(parseFlags(insecure, 'a')?.personas).toBeUndefined();
});

test('the last of a flag that is given twice counts', () => {
  expect(parseFlags([...insecure, '--nodes', '2', '--nodes', '1'], 'a')?.identities).toEqual(['a']);
});

test('--help asks for the usage, whatever else is wrong', () => {
  expect(parseFlags(['--help', '--nodes', 'x'], '')).toBeUndefined();
});

test('there is TLS unless it is renounced in writing', () => {
  expect(parseFlags([], 'a')?.tls).toBe(true);
  expect(parseFlags(['--tls-mode=required'], 'a')?.tls).toBe(true);
  expect(parseFlags(insecure, 'a')?.tls).toBe(false);
  expect(problemsOf('--tls-mode', 'insecur')).toEqual([
    '--tls-mode insecur: expected required or insecure; did you mean insecure?',
  ]);
});

test('what nodes hold is named by files', () => {
  const config = parseFlags(['--jwt-file=t', '--secret-file=/s', '--ca', 'c', '--share-certificate'], 'a');
  expect(config).toMatchObject({
    tokenFile: resolve('t'),
    secretFile: '/s',
    caFile: resolve('c'),
    shareCertificate: true,
  });
});

describe('a warning', () => {
  const warningsFor = (...args: string[]) => warningsOf(parseFlags(args, 'a') ?? expect.fail());

  test('is due without TLS, and of what then has no effect', () => {
    const secret = '--secret-file=s';
    expect(warningsFor(secret)).toEqual([]);
    expect(warningsFor(...insecure, secret)).toEqual([expect.stringContaining('nothing is encrypted')]);
    expect(warningsFor(...insecure, secret, '--ca=c', '--share-certificate')[1]).toBe(
      '--ca, --share-certificate: without effect while --tls-mode is insecure',
    );
  });

  test('is due for nodes that accept any proof', () => {
    expect(warningsFor()).toEqual([expect.stringContaining('any proof is accepted')]);
    expect(warningsFor('--jwt-file=t')).toEqual([]);
  });
});

describe('what is wrong is told with its flag', () => {
  test.each<[string[], string]>([
    [['--node', '5'], '--node: there is no such flag; did you mean --nodes?'],
    [['--verbose'], '--verbose: there is no such flag'],
    [['5'], '5: nothing but flags is expected'],
    [['--dir'], '--dir needs a value'],
    [['--dir', '--help-me'], '--dir needs a value'],
    [['--nodes', '0'], '--nodes 0: expected a whole number from 1 to 200000'],
    [['--nodes', '1e3'], '--nodes 1e3: expected a whole number from 1 to 200000'],
    [['--loglevel', 'loud'], '--loglevel loud: expected one of debug, info, warn, error'],
    [['--monitor-port', '70000'], '--monitor-port 70000: expected a port, 0 to 65535'],
    [['--discovery', 'somewhere:0'], '--discovery somewhere:0: port 0 cannot be dialled'],
    [['--addresses', 'port'], '--addresses port: expected loopback or ports; did you mean ports?'],
    [['--jwt-file', ''], '--jwt-file needs a path'],
    [['--ca='], '--ca needs a path'],
    [['--jwt-file', 'eyJh.eyJj.c2ln'], '--jwt-file needs a path, and got what looks like a token'],
    [['--ca=-----BEGIN X'], '--ca needs a path, and got what looks like PEM'],
    [['--share-certificate=yes'], '--share-certificate takes no value'],
    [['--personas=slow'], '--personas "slow": expected NAME=WEIGHT, and more of them after commas'],
    [['--personas', 'slow=0'], '--personas slow=0: expected at least one weight above 0'],
    [
      ['--personas', 'cloned=1'],
      '--personas clones come in pairs: with nothing but clones the number of nodes must be even',
    ],
    [
      ['--nodes', '10', '--addresses', 'ports', '--listen', '0.0.0.0:65530'],
      '--nodes 10: there are not so many ports from 65530 on',
    ],
  ])('%j', (args, problem) => {
    expect(problemsOf(...insecure, ...args)).toEqual([problem]);
  });

  test.each<[string[], string]>([
    [['--listen', '7430'], '--listen "7430" has no port'],
    [['--identity', 'no dots.'], '--identity no dots.: expected 1 to 253 of'],
    [['--nodes', '2', '--identity', 'a b'], '--identity a b: expected 1 to 253 of'],
    [['--start-within', 'soon'], '--start-within '],
    [['--personas', 'flaping=1'], 'did you mean flapping?'],
    [['--personas', 'slow=1', '--identity', 'a b'], '--personas a b is no name for a swarm'],
    [['--nodes', '2', '--advertise-host', 'a'], '--advertise-host does not go with --addresses loopback'],
    [['--nodes', '2', '--listen', '127.0.0.1:1'], '--listen 127.0.0.1:1: with --addresses loopback'],
  ])('%j', (args, problem) => {
    expect(problemsOf(...insecure, ...args)).toEqual([expect.stringContaining(problem)]);
  });

  test('also where the machine has no usable name', () => {
    expect(() => parseFlags(insecure, 'my host')).toThrow(
      '--identity must be given: the host name "my host"',
    );
  });

  test('and all of it at once', () => {
    expect(problemsOf('--nodes', 'x', '--loglevel', 'y', '--tls-mode', 'z')).toHaveLength(3);
  });
});
