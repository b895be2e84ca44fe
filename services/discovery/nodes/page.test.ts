import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from './page.js';

const named = (identity: string) => ({ identity });

test('pages together are all items in order, each once', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 20 }), (identities, size) => {
      const seen: string[] = [];
      for (let after = '', more = true; more; ) {
        const page = pageOf(identities.map(named), after, size);
        expect(page.items.length).toBeLessThanOrEqual(size);
        seen.push(...page.items.map(({ identity }) => identity));
        ({ more } = page);
        after = seen.at(-1) ?? '';
      }
      expect(seen).toEqual([...identities].sort((left, right) => (left < right ? -1 : 1)));
    }),
  );
});

test('what comes and goes between pages makes no item appear twice or go missing', () => {
  const first = pageOf(['a', 'c', 'e', 'g'].map(named), '', 2);
  expect(first.items.map(({ identity }) => identity)).toEqual(['a', 'c']);
  const second = pageOf(['b', 'e', 'f', 'g'].map(named), 'c', 2);
  expect(second.items.map(({ identity }) => identity)).toEqual(['e', 'f']);
  expect(second.more).toBe(true);
});
