import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DurationError, durationMs, formatDuration, parseDuration } from './durations.js';

interface Vector {
  readonly input: string;
  readonly ok: boolean;
  readonly ns?: string;
}

const file = new URL('../test/vectors/durations.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: readonly Vector[] };

describe('parseDuration', () => {
  it.each(vectors)('holds for $input', ({ input, ok, ns }) => {
    if (ok) expect(parseDuration(input)).toBe(BigInt(ns ?? 'missing'));
    else expect(() => parseDuration(input)).toThrow(DurationError);
  });

  it('reads both micro signs', () => {
    expect(parseDuration('1\u00b5s')).toBe(1000n);
    expect(parseDuration('1\u03bcs')).toBe(1000n);
  });

  it('reads a fraction without a leading zero', () => {
    expect(parseDuration('.5s')).toBe(500_000_000n);
  });

  it('tells minutes from months and takes every other unit in either case', () => {
    expect(parseDuration('1m')).toBe(60_000_000_000n);
    expect(parseDuration('1M')).toBe(30n * 86_400_000_000_000n);
    for (const unit of ['s', 'h', 'd', 'w', 'y']) {
      expect(parseDuration(`3${unit}`)).toBe(parseDuration(`3${unit.toUpperCase()}`));
    }
  });

  it('adds fractions of a nanosecond exactly and drops what is left over', () => {
    expect(parseDuration('1.9ns')).toBe(1n);
    expect(parseDuration('0.5ns0.5ns')).toBe(1n);
    expect(parseDuration('0.9999999999s')).toBe(999_999_999n);
  });

  it('reads up to 2^63-1 nanoseconds and no more', () => {
    expect(parseDuration('9223372036854775807ns')).toBe(2n ** 63n - 1n);
    expect(() => parseDuration('9223372036854775808ns')).toThrow(/at most about 292 years/);
    expect(() => parseDuration('9223372036854775807ns1ns')).toThrow(DurationError);
  });

  it.each(['s', '.s', '1..5s', '1.s', '1e3s', '1s ago', '1h 1m', '1,5s', '١s', '1s\n1s', 'MS', '1Ms', '1NS'])(
    'refuses %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/expected a duration such as 30s, 1m30s or 7d, got /);
    },
  );

  it('says that a bare number lacks its unit', () => {
    expect(() => parseDuration('90')).toThrow(/"90" \(a number alone has no unit: "90s" is seconds\)/);
  });

  it('refuses a text of megabytes at once, and does not repeat it', () => {
    const started = performance.now();
    expect(() => parseDuration(`${'9'.repeat(4_000_000)}s`)).toThrow(/^.{0,200}$/);
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('is the sum of its terms', () => {
    const unit = fc.constantFrom('ns', 'us', 'ms', 's', 'm', 'h', 'd', 'w', 'M', 'y');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(50), unit), { minLength: 1, maxLength: 5 }), (terms) => {
        const sum = terms.reduce((total, [n, u]) => total + parseDuration(`${n}${u}`), 0n);
        expect(parseDuration(terms.map(([n, u]) => `${n}${u}`).join(''))).toBe(sum);
      }),
    );
  });
});

describe('durationMs', () => {
  it('gives milliseconds, rounded up', () => {
    expect(durationMs('1m30s')).toBe(90_000);
    expect(durationMs('1.5ms')).toBe(2);
    expect(durationMs('1ns')).toBe(1);
    expect(durationMs('0s')).toBe(0);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [250, '250ms'],
    [0.5, '0.5ms'],
    [0.00001, '0.001ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [129_600_000, '1d12h'],
    [86_400_001, '1d0.001s'],
    [-1000, '-1s'],
    [Number.POSITIVE_INFINITY, 'forever'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('writes what parseDuration reads', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 12), (ms) => {
        expect(durationMs(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
