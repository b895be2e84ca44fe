import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectKinds, type Fault, onlyFor, plainKinds, rpcWords } from './fault.js';
import { formatFault, formatFaults, parseFault, parseFaults } from './parse.js';

const always = { identity: '*', probability: 1, times: Number.POSITIVE_INFINITY };

describe('a fault is read', () => {
  test.each<[text: string, fault: Fault]>([
    ['configure:drop-reply', { ...always, rpc: 'configure', effect: { kind: 'drop-reply' } }],
    [
      'configure:drop-reply:0.1',
      { ...always, rpc: 'configure', effect: { kind: 'drop-reply' }, probability: 0.1 },
    ],
    ['inventory:delay:2s', { ...always, rpc: 'inventory', effect: { kind: 'delay', delayMs: 2000 } }],
    [
      'jwt:delay:1m30s:.5:x2',
      { ...always, rpc: 'jwt', effect: { kind: 'delay', delayMs: 90_000 }, probability: 0.5, times: 2 },
    ],
    [
      '*:error:UNAVAILABLE:x3',
      { ...always, rpc: '*', effect: { kind: 'error', code: 'UNAVAILABLE' }, times: 3 },
    ],
    [
      'Web-*.Example.NET/restart:hang:0',
      { ...always, identity: 'web-*.example.net', rpc: 'restart', effect: { kind: 'hang' }, probability: 0 },
    ],
    ['*/update:no-effect', { ...always, rpc: 'update', effect: { kind: 'no-effect' } }],
    ['configure:wrong-digest:1.0', { ...always, rpc: 'configure', effect: { kind: 'wrong-digest' } }],
  ])('%s', (text, fault) => {
    expect(parseFault(text)).toEqual(fault);
  });
});

test('faults have commas between them, and white space does not count', () => {
  const { faults, problems } = parseFaults('configure:drop-reply:0.1, inventory:delay:2s\t');
  expect(problems).toEqual([]);
  expect(formatFaults(faults)).toBe('configure:drop-reply:0.1, inventory:delay:2s');
  expect(formatFaults([])).toBe('none');
});

describe('what is no fault is refused, with what was expected', () => {
  test.each<[text: string, says: RegExp]>([
    ['', /^"": expected \[IDENTITY\/\]RPC:KIND/],
    ['configure', /^"configure": expected \[IDENTITY\/\]RPC:KIND/],
    [
      'configrue:hang',
      /expected an RPC, one of identify, jwt, .*, \*, got "configrue"; did you mean configure\?$/,
    ],
    ['Configure:hang', /got "Configure"; did you mean configure\?$/],
    ['hang', /expected an RPC, .*got "hang"$/],
    [
      'configure:drop_reply',
      /expected a kind, one of delay, .*, got "drop_reply"; did you mean drop-reply\?$/,
    ],
    ['configure:explode', /expected a kind, .*got "explode"$/],
    ['configure:delay', /delay: expected a duration such as 30s, .*got ""$/],
    ['configure:delay:2', /delay: expected a duration .*a number alone has no unit/],
    ['configure:delay:0.5', /delay: expected a duration/],
    ['configure:delay:2d', /a delay is at most 1d$/],
    ['configure:error', /expected a code, one of CANCELLED, .*, got ""$/],
    ['configure:error:OK', /expected a code, .*, got "OK"$/],
    ['configure:error:unavailable', /got "unavailable"; did you mean UNAVAILABLE\?$/],
    ['configure:error:14', /expected a code, .*, got "14"$/],
    ['configure:hang:2s', /expected a probability from 0 to 1, or xTIMES such as x3, got "2s"$/],
    ['configure:hang:1.5', /expected a probability from 0 to 1/],
    ['configure:hang:-0.5', /expected a probability from 0 to 1/],
    ['configure:hang:1e-3', /expected a probability from 0 to 1/],
    ['configure:hang:', /expected a probability from 0 to 1, .*got ""$/],
    ['configure:hang:0.5:3', /expected xTIMES, .*got "3"$/],
    ['configure:hang:x0', /expected xTIMES, .*got "x0"$/],
    ['configure:hang:x3:0.5', /nothing is expected after x3, got "0.5"$/],
    ['restart:no-effect', /^"restart:no-effect": no-effect goes with update alone$/],
    ['*:wrong-digest', /wrong-digest goes with configure alone$/],
    ['/configure:hang', /expected a node's name before "\/"/],
    ['we b/configure:hang', /expected a node's name before "\/"/],
    ['a/b/configure:hang', /expected an RPC, .*got "b\/configure"; did you mean configure\?$/],
  ])('%j', (text, says) => {
    expect(() => parseFault(text)).toThrow(says);
  });

  test('each item of a list by itself, and an empty one too', () => {
    const { faults, problems } = parseFaults('jwt:hang,,key:hnag,csr:hang');
    expect(faults.map(formatFault)).toEqual(['jwt:hang', 'csr:hang']);
    expect(problems).toEqual([expect.stringMatching(/^"": /), expect.stringMatching(/^"key:hnag": /)]);
  });
});

const someFault: fc.Arbitrary<Fault> = fc
  .record({
    identity: fc.oneof(fc.constant('*'), fc.stringMatching(/^[a-z0-9][a-z0-9._*-]{0,20}$/)),
    rpc: fc.constantFrom(...rpcWords, '*' as const),
    effect: fc.oneof(
      fc.integer({ min: 0, max: 86_400_000 }).map((delayMs) => ({ kind: 'delay', delayMs }) as const),
      fc
        .constantFrom('UNAVAILABLE', 'ABORTED', 'DATA_LOSS')
        .map((code) => ({ kind: 'error', code }) as const),
      fc.constantFrom(...plainKinds).map((kind) => ({ kind })),
    ),
    probability: fc.integer({ min: 0, max: 1_000_000_000 }).map((billionths) => billionths / 1e9),
    times: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 999_999_999 })),
  })
  .map((fault) => ({ ...fault, rpc: onlyFor[fault.effect.kind] ?? fault.rpc }));

test('what is written of a fault reads back as the same', () => {
  fc.assert(
    fc.property(someFault, (fault) => {
      expect(parseFault(formatFault(fault))).toEqual(fault);
    }),
  );
});

test('no text does anything but be read or be refused by a fault', () => {
  const word = fc.oneof(
    fc.constantFrom<string>(
      ...effectKinds,
      ...rpcWords,
      ':',
      '/',
      ',',
      '*',
      'x3',
      '0.5',
      '2s',
      'UNAVAILABLE',
    ),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.array(word).map((words) => words.join('')),
      (text) => {
        const { faults, problems } = parseFaults(text);
        expect(faults.length + problems.length).toBe(text.split(',').length);
        expect(faults.map((fault) => parseFault(formatFault(fault)))).toEqual(faults);
      },
    ),
  );
});
