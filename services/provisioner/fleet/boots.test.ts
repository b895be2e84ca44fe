import { describe, expect, it } from 'vitest';
import { boot } from '../../../test/fakes/node-events.js';
import { Boots } from './boots.js';

describe('the boots of a node', () => {
  it('are new only once', () => {
    const boots = new Boots(boot(1));
    expect(boots.relation(boot(2))).toBe('NEW');
    boots.add(boot(2));
    expect(boots.relation(boot(2))).toBe('CURRENT');
    expect(boots.relation(boot(1))).toBe('REPLACED');
    boots.add(boot(1));
    expect(boots.current).toBe(boot(2));
  });

  it('are remembered for the last eight', () => {
    const boots = new Boots(boot(1));
    for (let number = 2; number <= 9; number++) boots.add(boot(number));
    expect(boots.relation(boot(2))).toBe('REPLACED');
    expect(boots.relation(boot(1))).toBe('NEW');
  });

  it('take in one that came between, which is current only where nothing came after', () => {
    const boots = new Boots(boot(1));
    boots.insertAfter(boot(1), boot(2));
    expect(boots.current).toBe(boot(2));
    boots.insertAfter(boot(1), boot(3));
    expect(boots.current).toBe(boot(2));
    expect(boots.relation(boot(3))).toBe('REPLACED');
  });
});

it('makes current a boot that was met, also one that had been replaced', () => {
  const boots = new Boots(boot(1));
  boots.add(boot(2));
  boots.met(boot(1));
  expect(boots.current).toBe(boot(1));
  expect(boots.relation(boot(2))).toBe('REPLACED');
  boots.met(boot(3));
  expect(boots.current).toBe(boot(3));
  for (let number = 4; number <= 10; number++) boots.met(boot(number));
  expect(boots.relation(boot(2))).toBe('NEW');
});
