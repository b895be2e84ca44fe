import { describe, expect, test } from 'vitest';
import type { FaultedRpc } from './fault.js';
import { Faults, type Strike } from './faults.js';
import { formatEffect, formatFault, parseFaults } from './parse.js';

/** @param draws what chance says, one after the other; then 0 */
function inForce(list: string, draws: number[] = []) {
  const strikes: Strike[] = [];
  const faults = new Faults({
    random: () => draws.shift() ?? 0,
    onStrike: (strike) => strikes.push(strike),
  });
  const set = (text: string) => faults.set(parseFaults(text).faults);
  set(list);
  const strike = (rpc: FaultedRpc = 'Configure', identity = 'web-1') =>
    faults.strike(identity, rpc).map(formatEffect).join();
  return { faults, strikes, set, strike };
}

describe('a fault strikes', () => {
  test('its RPC alone', () => {
    const { strike } = inForce('configure:hang');
    expect(strike('Configure')).toBe('hang');
    expect(strike('Restart')).toBe('');
  });

  test('every RPC, Identify too, where it is for all', () => {
    const { strike } = inForce('*:hang');
    expect([strike('Identify'), strike('GetRunStatus')]).toEqual(['hang', 'hang']);
  });

  test.each([
    ['web-1', 'web-1', true],
    ['web-1', 'web-11', false],
    ['web-*', 'web-1.example.net', true],
    ['web-*.net', 'web-1.example.net', true],
    ['web-*.net', 'web-1.example.org', false],
    ['*-slow.*', 'node-00001-slow.swarm.local', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-c-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['web.1', 'web-1', false],
  ])('nodes whose name is as %s: %s %s', (pattern, identity, does) => {
    const { strike } = inForce(`${pattern}/configure:hang`);
    expect(strike('Configure', identity)).toBe(does ? 'hang' : '');
  });

  test('as often as its probability says', () => {
    const { strike } = inForce('configure:hang:0.25', [0.24, 0.25, 0.9, 0]);
    expect([strike(), strike(), strike(), strike()]).toEqual(['hang', '', '', 'hang']);
  });

  test('never with probability 0, and without asking chance with 1', () => {
    expect(inForce('configure:hang:0').strike()).toBe('');
    expect(inForce('configure:hang:1', [1]).strike()).toBe('hang');
  });

  test('so many times each node, and misses do not count', () => {
    const { strike } = inForce('configure:hang:0.5:x2', [0.1, 0.9, 0.1]);
    expect([strike(), strike(), strike(), strike()]).toEqual(['hang', '', 'hang', '']);
    expect(strike('Configure', 'web-2')).toBe('hang');
  });

  test('anew once faults were set again', () => {
    const { set, strike } = inForce('configure:hang:x1');
    expect([strike(), strike()]).toEqual(['hang', '']);
    set('configure:hang:x1');
    expect(strike()).toBe('hang');
    set('jwt:hang');
    expect(strike()).toBe('');
  });
});

describe('of several faults', () => {
  test('the first that ends the call strikes, the others are left for later calls', () => {
    const { strike } = inForce('configure:error:ABORTED:x1,configure:drop-reply:x1,configure:hang');
    expect([strike(), strike(), strike()]).toEqual(['error:ABORTED', 'drop-reply', 'hang']);
  });

  test('those that change the work go together with how it ends, and delays add up', () => {
    const { strike } = inForce(
      'configure:delay:1s,configure:duplicate,configure:delay:2s,configure:duplicate,configure:drop-reply',
    );
    expect(strike()).toBe('delay:1s,duplicate,delay:2s,drop-reply');
  });

  test('those that change the work are left for later where nothing is done', () => {
    const { strike } = inForce('configure:duplicate:x1,configure:delay:1s,configure:drop-request:x1');
    expect([strike(), strike()]).toEqual(['delay:1s,drop-request', 'duplicate,delay:1s']);
  });

  test('another identity is an answer of Identify, and a refusal of everything else', () => {
    const { strike } = inForce('*:wrong-identity,*:duplicate');
    expect(strike('Identify')).toBe('wrong-identity,duplicate');
    expect(strike('Restart')).toBe('wrong-identity');
  });
});

test('each strike is told, and what was left for later is not', () => {
  const { strike, strikes, faults } = inForce('configure:duplicate,configure:hang,*:garbage');
  strike('Configure', 'web-7');
  strike('Restart', 'web-7');
  expect(strikes.map(({ identity, rpc, fault }) => [identity, rpc, formatFault(fault)])).toEqual([
    ['web-7', 'Configure', 'configure:hang'],
    ['web-7', 'Restart', '*:garbage'],
  ]);
  expect(faults.list).toHaveLength(3);
});
