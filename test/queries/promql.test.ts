import { describe, expect, test } from 'vitest';
import { readQuery } from './promql.js';

/** What a query selects, as `function metric`. */
function selected(text: string): string[] {
  return readQuery(text).selectors.map(({ function: name, metric }) => `${name} ${metric}`.trim());
}

function grouped(text: string): [readonly string[], string[]][] {
  return readQuery(text).groupings.map(({ labels, selectors }) => [
    labels,
    selectors.map(({ metric }) => metric),
  ]);
}

describe('a query is read for', () => {
  test.each<[string, string[]]>([
    ['up', ['up']],
    ['up == 0', ['up']],
    ['rate(a_total[5m])', ['rate a_total']],
    ['histogram_quantile(0.9, sum by (le) (rate(a_bucket{x="y"}[$__rate_interval])))', ['rate a_bucket']],
    ['a < 14 * 86400 or b{x="1"} < 2', ['a', 'b']],
    ['(a + b) / c', ['a', 'b', 'c']],
    ['count(a) or vector(0)', ['count a']],
    ['a == bool 1', ['a']],
  ])('what it selects: %s', (text, wanted) => {
    expect(selected(text.replace('$__rate_interval', '1m'))).toEqual(wanted);
  });

  test('matchers', () => {
    expect(readQuery('a{x="1", y!="", z=~"b|c", w!~"d.*"}').selectors[0]?.matchers).toEqual([
      { label: 'x', operator: '=', value: '1' },
      { label: 'y', operator: '!=', value: '' },
      { label: 'z', operator: '=~', value: 'b|c' },
      { label: 'w', operator: '!~', value: 'd.*' },
    ]);
  });

  test('what it groups by, before and behind', () => {
    expect(grouped('sum by (x, y) (rate(a[1m]))')).toEqual([[['x', 'y'], ['a']]]);
    expect(grouped('sum(a) by (x) / sum by (y) (b)')).toEqual([
      [['x'], ['a']],
      [['y'], ['b']],
    ]);
    expect(grouped('count by (x) (count by (x, y) (a))')).toEqual([
      [['x', 'y'], ['a']],
      [['x'], ['a']],
    ]);
  });

  test('what it joins on', () => {
    expect(grouped('a > 9 unless on (site, job) b == 1')).toEqual([
      [
        ['site', 'job'],
        ['a', 'b'],
      ],
    ]);
    expect(grouped('a * ignoring (x) group_left (y) b')).toEqual([[[], ['a', 'b']]]);
  });
});

test.each<[string, RegExp]>([
  ['sum(a', /token 4 should be more, and is nothing/],
  ['a b', /token 2 should be the end, and is b/],
  ['a{x~"1"}', /character 4 cannot be read/],
  ['a{x>"1"}', /token 4 should be =/],
  ['* 2', /token 1 should be a metric/],
])('what is no query is refused: %s', (text, message) => {
  expect(() => readQuery(text)).toThrow(message);
});
