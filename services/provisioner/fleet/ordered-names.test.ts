import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderedNames } from './ordered-names.js';

it('holds what was added and not deleted, in order, from anywhere', () => {
  const changes = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3_000 })), {
    minLength: 1_500,
    maxLength: 4_000,
  });
  fc.assert(
    fc.property(changes, fc.integer({ min: 0, max: 3_000 }), (list, from) => {
      const names = new OrderedNames();
      const model = new Set<string>();
      for (const [adds, number] of list) {
        const name = `node-${number}`;
        if (adds) {
          names.add(name);
          model.add(name);
        } else {
          names.delete(name);
          model.delete(name);
        }
      }
      const start = `node-${from}`;
      expect(names.size).toBe(model.size);
      expect([...names.from('')]).toEqual([...model].sort());
      expect([...names.from(start)]).toEqual([...model].sort().filter((name) => name >= start));
    }),
    { numRuns: 20 },
  );
});

it('takes many names in order and in reverse', () => {
  const all = Array.from({ length: 5_000 }, (_, index) => String(index).padStart(5, '0'));
  for (const given of [all, all.toReversed()]) {
    const names = new OrderedNames();
    for (const name of given) names.add(name);
    expect([...names.from('')]).toEqual(all);
    for (const name of given) names.delete(name);
    expect(names.size).toBe(0);
    expect([...names.from('')]).toEqual([]);
  }
});
