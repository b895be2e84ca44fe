import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OldestFirst } from './oldest-first.js';

test('it does what a map does, and its oldest is that which a map has first', () => {
  const key = fc.integer({ min: 0, max: 5 });
  const step = fc.oneof(
    fc.record({ does: fc.constant('set' as const), key }),
    fc.record({ does: fc.constant('delete' as const), key }),
    fc.record({ does: fc.constant('drop' as const), key }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const entries = new OldestFirst<number, number>();
      const model = new Map<number, number>();
      for (const [index, { does, key: given }] of steps.entries()) {
        const named = does === 'drop' ? (entries.oldest?.key ?? given) : given;
        entries[does === 'set' ? 'set' : 'delete'](named, index);
        model.delete(named);
        if (does === 'set') model.set(named, index);
        const [first] = model;
        expect(entries.size).toBe(model.size);
        expect(entries.oldest && [entries.oldest.key, entries.oldest.value]).toEqual(first);
        for (let one = 0; one <= 5; one += 1) {
          expect([entries.has(one), entries.get(one)]).toEqual([model.has(one), model.get(one)]);
        }
      }
    }),
  );
});
