import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareReleases, isSameRelease } from './release-version.js';

/** Each list from the oldest to the newest. */
const orders: readonly (readonly string[])[] = [
  ['0.29.4', '0.30.0', '0.30.1', '1.0'],
  ['1.0~~', '1.0~', '1.0~rc1', '1.0~rc1^git', '1.0~rc2', '1.0', '1.0^', '1.0^git1', '1.0.1', '1.01'],
  ['1.0^~', '1.0^', '1.0^^', '1.0^a', '1.0^1', '1.0a', '1.0.0'],
  ['A', 'Z', 'a', 'ab', 'b', '0', '1', '10'],
  ['5', '1:3', '2:0', '10:0', '18446744073709551616:0', '18446744073709551617:0'],
  ['1.18446744073709551615', '1.18446744073709551616', '1.118446744073709551616'],
  ['1.0', '1.0-', '1.0-0', '1.0-1', '1.0-1.el9', '1.0-2', '1.0-10', '1.0-1-1', '1.0-2-1'],
  ['~', '', '-', '-1', '^', 'x', '1'],
];

describe('releases', () => {
  it.each(orders)('are in the order of RPM: %s, %s, %s …', (...order) => {
    for (const [i, older] of order.entries()) {
      for (const newer of order.slice(i + 1)) {
        expect([older, newer, compareReleases(older, newer)]).toEqual([older, newer, -1]);
        expect([newer, older, compareReleases(newer, older)]).toEqual([newer, older, 1]);
      }
    }
  });

  it.each([
    ['1.0', '0:1.0'],
    ['1.0', ':1.0'],
    ['007:1', '7:1'],
    ['00:1', '1'],
    ['1.00', '1.0'],
    ['1.0..0', '1.0.0'],
    ['.1.0.', '1.0'],
    ['1b2', '1.b_2'],
    ['1.ä.0', '1.0'],
    ['1.٣.0', '1..0'],
    ['1.0-1', '1.0-01'],
    ['1:', '1:'],
    ['', '...'],
  ])('are the same under other names: %s, %s', (a, b) => {
    expect(isSameRelease(a, b)).toBe(true);
    expect(isSameRelease(b, a)).toBe(true);
  });

  it.each([
    ['a colon behind more than digits is no epoch', 'x:1.0', '1.0', -1],
    ['a colon in the release neither', '1-2:3', '2', -1],
    ['an epoch may stand alone', '1:', '5.0', 1],
    ['a sign makes no number', '-1:5', '0', -1],
  ])('%s', (_, a, b, order) => {
    expect(compareReleases(a, b)).toBe(order);
  });

  it('are compared in linear time, however long their names are', () => {
    const long = `${'1.'.repeat(500_000)}${'0'.repeat(500_000)}${'-'.repeat(500_000)}`;
    expect(compareReleases(`${long}1`, `${long}2`)).toBe(-1);
  });

  const part = fc.constantFrom('0', '1', '10', '01', 'a', 'b', 'B', 'rc', '~', '^', '.', '-', ':', '+', 'ä');
  const release = fc.oneof(
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ maxLength: 12 }),
  );

  it('are all in one order', () => {
    fc.assert(
      fc.property(release, release, release, (a, b, c) => {
        expect(compareReleases(a, a)).toBe(0);
        expect(compareReleases(a, b) + compareReleases(b, a)).toBe(0);
        const [least = a, middle = b, greatest = c] = [a, b, c].sort(compareReleases);
        expect(compareReleases(least, middle)).toBeLessThanOrEqual(0);
        expect(compareReleases(middle, greatest)).toBeLessThanOrEqual(0);
        expect(compareReleases(least, greatest)).toBe(
          Math.min(compareReleases(least, middle), compareReleases(middle, greatest)),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
