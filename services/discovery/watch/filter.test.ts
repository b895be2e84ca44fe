import { expect, test } from 'vitest';
import { everyNode, matches, newFilter } from './filter.js';

const node = { component: 'provision_mode_server', labels: { rack: 'r1', room: 'a' } };

test('an empty filter lets everything through', () => {
  expect(matches(everyNode, node)).toBe(true);
  expect(matches(newFilter([], {}), { component: 'x', labels: {} })).toBe(true);
});

test('one of the components must match; an empty one stands for the usual one', () => {
  expect(matches(newFilter(['other', 'provision_mode_server'], {}), node)).toBe(true);
  expect(matches(newFilter([''], {}), node)).toBe(true);
  expect(matches(newFilter(['other'], {}), node)).toBe(false);
});

test('all labels must match', () => {
  expect(matches(newFilter([], { rack: 'r1', room: 'a' }), node)).toBe(true);
  expect(matches(newFilter([], { rack: 'r1', room: 'b' }), node)).toBe(false);
  expect(matches(newFilter([], { floor: '' }), node)).toBe(false);
});
