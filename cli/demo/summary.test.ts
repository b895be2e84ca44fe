import { expect, test } from 'vitest';
import { nothingYet } from './progress.js';
import { summaryLines } from './summary.js';

test('all went well: one line', () => {
  const progress = { ...nothingYet, confirmed: 25 };
  expect(summaryLines({ nodes: 25, progress, seconds: 2.04, cut: undefined }, '')).toEqual([
    '25 of 25 nodes confirmed in 2.0 s',
  ]);
});

test('failed runs are told by reason, the most common first, each with the last node that met it', () => {
  const log = [
    {
      identity: 'a',
      outcome: 'FAILED',
      reason: 'HELPER_EXIT',
      message: 'the helper exited with code 3: oops',
    },
    {
      identity: 'b',
      outcome: 'FAILED',
      reason: 'HELPER_EXIT',
      message: 'the helper exited with code 3\nmore',
    },
    { identity: 'c', outcome: 'FAILED', reason: 'UNREACHABLE', message: 'nobody \u001b[2J' },
    { identity: 'd', outcome: 'PROVISIONED' },
  ].map((line) => JSON.stringify(line));
  const reasons = new Map([
    ['UNREACHABLE', 1],
    ['HELPER_EXIT', 2],
  ]);
  const progress = { ...nothingYet, confirmed: 1, failedRuns: 3, reasons };
  const lines = summaryLines(
    { nodes: 4, progress, seconds: 9, cut: undefined },
    [...log, '{"outcome":"FAILED","cut o'].join('\n'),
  );
  expect(lines).toEqual([
    '1 of 4 nodes confirmed in 9.0 s',
    '3 runs failed:',
    '  2 × HELPER_EXIT, the last: b: the helper exited with code 3 … more',
    '  1 × UNREACHABLE, the last: c: nobody \\u{1b}[2J',
  ]);
});

test('whatever else kept nodes from coming up is said', () => {
  const progress = { ...nothingYet, missed: 1, shutDown: 2, deferredRuns: 3 };
  expect(summaryLines({ nodes: 5, progress, seconds: 1, cut: 'STUCK' }, '')).toEqual([
    '0 of 5 nodes confirmed in 1.0 s',
    'given up: nothing has changed for a minute',
    '1 were configured and not seen to come up with it',
    '2 were shut down, as the helper asked',
    '3 runs were put off, as the helper or the node asked',
  ]);
});
