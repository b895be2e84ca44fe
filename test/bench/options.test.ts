import { expect, test } from 'vitest';
import { UsageError } from './command-line.js';
import { parseBenchOptions } from './options.js';

test('without options a measure has those that the usage names', () => {
  expect(parseBenchOptions(['provision'])).toEqual({
    measure: 'provision',
    fleet: {
      nodes: 3_000,
      withinMs: 1_000,
      workers: 64,
      helper: 'exec-sh',
      tls: true,
      features: { jwt: false, ed25519: false },
    },
    personas: undefined,
    rounds: 3,
    outageMs: 30_000,
    steadyMs: 30_000,
    sizes: [],
    json: false,
    keep: false,
  });
});

test('ed25519 turns jwt on, as in the provisioner', () => {
  const features = (list: string) => parseBenchOptions(['bare', '--features', list])?.fleet.features;
  expect(features('ed25519')).toEqual({ jwt: true, ed25519: true });
  expect(features('jwt')).toEqual({ jwt: true, ed25519: false });
  expect(features('none')).toEqual({ jwt: false, ed25519: false });
});

test('sizes are numbers with commas between them', () => {
  expect(parseBenchOptions(['growth', '--sizes', '100,200'])?.sizes).toEqual([100, 200]);
});

test('all that cannot be used is said at once', () => {
  const words = [
    'fast',
    '--nodes',
    '0',
    '--within',
    'soon',
    '--tls',
    'maybe',
    '--features',
    'pki',
    '--sizes',
    '1,x',
  ];
  expect(() => parseBenchOptions(words)).toThrow(UsageError);
  expect(() => parseBenchOptions(words)).toThrow(
    [
      '--features pki: expected none, or of jwt and ed25519',
      '--tls maybe: expected required or insecure',
      '--sizes 1,x: expected numbers from 1 to 200000',
      'fast: expected one of bare, provision, helper, watch, subscribers, registry, growth, overload',
      '--nodes 0: expected a whole number from 1 to 200000',
      '--within soon: expected a duration such as 1s',
    ].join('\n'),
  );
});

test('an option that the measure would not look at is refused', () => {
  const words = ['overload', '--sizes', '10', '--personas', 'healthy=1'];
  expect(() => parseBenchOptions(words)).toThrow(
    [
      '--sizes: overload has no such option, but watch, subscribers, registry, growth',
      '--personas: overload has no such option, but provision',
    ].join('\n'),
  );
  expect(() => parseBenchOptions(['bare', '--outage', '1s', '--steady', '1s'])).toThrow(
    '--outage: bare has no such option, but overload\n--steady: bare has no such option, but overload',
  );
});

test('personas are looked at before anything is measured', () => {
  const personas = (list: string) => parseBenchOptions(['provision', '--personas', list])?.personas;
  expect(personas('healthy=9,slow=1')).toBe('healthy=9,slow=1');
  expect(() => personas('healthi=1')).toThrow(UsageError);
  expect(() => personas('healthi=1')).toThrow('--personas healthi: there is no such persona');
});

test('without a measure nothing is measured', () => {
  expect(() => parseBenchOptions([])).toThrow('the measure: expected one of bare');
  expect(parseBenchOptions(['--help'])).toBeUndefined();
});

test('an option that there is not is named, without advice on positional arguments', () => {
  expect(() => parseBenchOptions(['provision', '--nodez', '5'])).toThrow(/^Unknown option '--nodez'$/);
});
