import { expect, test } from 'vitest';
import { everyEvent, matches, matchesAll } from './filter.js';

const header = { type: 'RUN_FINISHED', identity: 'web1.example', runId: 'r1', outcome: 'FAILED' } as const;

test('an empty filter lets everything through', () => {
  expect(matches(everyEvent, header)).toBe(true);
  expect(matches(everyEvent, { type: 'PAUSED', identity: '', runId: '', outcome: '' })).toBe(true);
  expect(matchesAll(everyEvent)).toBe(true);
});

test.each([
  ['one of the types', { types: new Set(['PAUSED', 'RUN_FINISHED']) }, { types: new Set(['PAUSED']) }],
  ['one of the outcomes', { outcomes: new Set(['FAILED']) }, { outcomes: new Set(['PROVISIONED']) }],
  ['the beginning of the identity', { identityPrefix: 'web1' }, { identityPrefix: 'web2' }],
  ['the identity, whole', { identity: 'web1.example' }, { identity: 'web1' }],
  ['the run', { runId: 'r1' }, { runId: 'r' }],
])('%s must match', (_, matching, other) => {
  for (const part of [matching, other]) expect(matchesAll({ ...everyEvent, ...part })).toBe(false);
  expect(matches({ ...everyEvent, ...matching }, header)).toBe(true);
  expect(matches({ ...everyEvent, ...other }, header)).toBe(false);
});

test('all parts must match together', () => {
  const filter = { ...everyEvent, types: new Set(['RUN_FINISHED']), identity: 'web1.example' };
  expect(matches(filter, header)).toBe(true);
  expect(matches(filter, { ...header, identity: 'web2.example' })).toBe(false);
  expect(matches(filter, { ...header, type: 'RUN_STARTED' })).toBe(false);
});
