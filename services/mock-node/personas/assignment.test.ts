import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countsOf, type PersonaWeights, personasOf } from './assignment.js';
import { lies } from './lie.js';
import { type PersonaName, personaNames } from './persona.js';

const mixed = { healthy: 70, slow: 10, dead: 8, flapping: 5, looping: 3, cloned: 2, lying: 2 };

const weights = fc
  .record(
    Object.fromEntries(personaNames.map((name) => [name, fc.integer({ min: 0, max: 1_000 })])) as Record<
      PersonaName,
      fc.Arbitrary<number>
    >,
  )
  .filter(({ cloned: _, ...others }) => Object.values(others).some((weight) => weight > 0));
const count = fc.integer({ min: 1, max: 600 });

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, each) => total + each, 0);
}

describe('the nodes of a swarm', () => {
  test('are split by weights', () => {
    expect(countsOf(5_000, mixed)).toEqual({
      healthy: 3_500,
      slow: 500,
      dead: 400,
      flapping: 250,
      looping: 150,
      cloned: 100,
      lying: 100,
      ageing: 0,
    });
    expect(countsOf(10, { healthy: 1, slow: 1, dead: 1 })).toMatchObject({ healthy: 4, slow: 3, dead: 3 });
    expect(countsOf(3, { healthy: 0.2, ageing: 0.1 })).toMatchObject({ healthy: 2, ageing: 1 });
  });

  test('each have one persona, and those without a weight have none', () => {
    fc.assert(
      fc.property(count, weights, (nodes, given) => {
        const counts = countsOf(nodes, given);
        expect(sum(counts)).toBe(nodes);
        expect(counts.cloned % 2).toBe(0);
        for (const name of personaNames) if (given[name] === 0) expect(counts[name]).toBe(0);
        const parts = personasOf(nodes, given);
        expect({ ...counts, ...tally(parts.map(({ persona }) => persona.name)) }).toEqual(counts);
      }),
    );
  });

  test('are less than two off their share, one for what is left over and one for a clone without a partner', () => {
    fc.assert(
      fc.property(count, weights, (nodes, given) => {
        const counts = countsOf(nodes, given);
        for (const name of personaNames) {
          const share = (nodes * given[name]) / sum(given);
          expect(Math.abs(counts[name] - share)).toBeLessThan(2);
        }
      }),
    );
  });

  test('have the same personas for the same weights', () => {
    expect(personasOf(500, mixed)).toEqual(personasOf(500, { ...mixed }));
  });

  test('have each persona all over the swarm', () => {
    const parts = personasOf(5_000, mixed);
    for (const [name, of] of Object.entries(countsOf(5_000, mixed))) {
      for (let block = 0; block < 10; block++) {
        const inBlock = parts.slice(block * 500, block * 500 + 500);
        const found = inBlock.filter(({ persona }) => persona.name === name).length;
        expect(Math.abs(found - of / 10), `${name} in block ${block}`).toBeLessThanOrEqual(1);
      }
    }
  });

  test('carry the persona in their names', () => {
    const parts = personasOf(2, { slow: 1, dead: 1 }, 'web.example.net');
    expect(parts.map(({ identity }) => identity)).toEqual([
      'web-00001-slow.example.net',
      'web-00002-dead.example.net',
    ]);
    expect(() => personasOf(2, { slow: 1 }, 'a'.repeat(250))).toThrow('too long');
  });
});

describe('clones', () => {
  test('are pairs of machines of different names that answer as one', () => {
    const parts = personasOf(5_000, mixed);
    const clones = parts.filter(({ persona }) => persona.name === 'cloned');
    expect(new Set(clones.map(({ machine }) => machine)).size).toBe(100);
    const machines = tally(clones.map(({ identity }) => identity));
    expect(Object.values(machines)).toEqual(Array(50).fill(2));
    for (const [index, { identity, machine }] of clones.entries()) {
      expect(identity).toBe(index % 2 === 0 ? machine : clones[index - 1]?.machine);
    }
    expect(new Set(parts.map(({ identity }) => identity)).size).toBe(4_950);
  });

  test('have a partner: an odd one is something else', () => {
    expect(countsOf(50, mixed)).toMatchObject({ cloned: 0, lying: 1 });
    expect(countsOf(3, { cloned: 1, slow: 1e-9 })).toMatchObject({ cloned: 2, slow: 1 });
    expect(countsOf(4, { cloned: 1 })).toMatchObject({ cloned: 4 });
    expect(() => countsOf(3, { cloned: 1 })).toThrow('the number of nodes must be even');
  });
});

test.each<[PersonaWeights]>([[{}], [{ slow: 0 }]])('without a weight there is no swarm: %j', (none) => {
  expect(() => countsOf(5, none)).toThrow('no weight is above 0');
});

test('the kinds of a persona come in turn', () => {
  const kindsOf = (name: PersonaName) =>
    tally(personasOf(80, { [name]: 1 }).map(({ persona }) => persona.kind));
  expect(kindsOf('dead')).toEqual({ refusing: 40, silent: 40 });
  expect(kindsOf('looping')).toEqual({ refusing: 40, returning: 40 });
  expect(kindsOf('lying')).toEqual(Object.fromEntries(lies.map(({ kind }) => [kind, 10])));
  expect(kindsOf('slow')).toEqual({ '': 80 });
});
