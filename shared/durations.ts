// Durations as people write them in configuration: `30s`, `1m30s`, `7d` (design, section 11). Exact, in
// nanoseconds; only what goes to timers is made milliseconds.

/** Why a text is no duration. The message says what was expected. */
export class DurationError extends Error {
  readonly reason: 'SYNTAX' | 'TOO_LONG';

  constructor(reason: 'SYNTAX' | 'TOO_LONG', message: string) {
    super(message);
    this.name = 'DurationError';
    this.reason = reason;
  }
}

const second = 1_000_000_000n;
const day = 86_400n * second;

const nanosecondsPer: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', second],
  ['S', second],
  ['m', 60n * second],
  ['h', 3_600n * second],
  ['H', 3_600n * second],
  ['d', day],
  ['D', day],
  ['w', 7n * day],
  ['W', 7n * day],
  ['M', 30n * day],
  ['y', 365n * day],
  ['Y', 365n * day],
]);

const longest = 2n ** 63n - 1n;
/** Helpers write durations too: a text of megabytes must not keep the process busy. */
const longestText = 1000;
const term = /(\d*)(?:\.(\d+))?(ns|us|\u00b5s|\u03bcs|ms|[sSmhHdDwWMyY])/y;

/**
 * Reads a duration: one or more of number and unit with nothing between, white space around it aside. A number
 * is digits, digits.digits or .digits. No sign, no exponent, no bare number.
 *
 * @returns nanoseconds, 0 to 2^63-1. Fractions count exactly; what is left of a nanosecond in the end is dropped.
 * @throws DurationError
 */
export function parseDuration(text: string): bigint {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > longestText) throw syntaxError(trimmed);
  const terms = readTerms(trimmed);
  // All fractions are brought to one power of ten, so that nothing is rounded before the sum is known.
  const digits = Math.max(...terms.map(({ fraction }) => fraction.length));
  let scaled = 0n;
  for (const { whole, fraction, unit } of terms) {
    scaled += BigInt(whole + fraction.padEnd(digits, '0')) * unit;
  }
  const nanoseconds = scaled / 10n ** BigInt(digits);
  if (nanoseconds > longest) {
    throw new DurationError(
      'TOO_LONG',
      `${quote(trimmed)} is too long: a duration is at most about 292 years`,
    );
  }
  return nanoseconds;
}

/**
 * Reads a duration as {@link parseDuration} does.
 *
 * @returns whole milliseconds, rounded up so that no wait becomes shorter than what was written
 * @throws DurationError
 */
export function durationMs(text: string): number {
  return Number((parseDuration(text) + 999_999n) / 1_000_000n);
}

/** Writes milliseconds for people, in a form that {@link parseDuration} reads: `1m30s`, `250ms`, `1d12h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return 'forever';
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 1000) return ms === 0 ? '0s' : `${trimmedNumber(ms)}ms`;
  const whole = Math.round(ms);
  const parts = [
    [Math.floor(whole / 86_400_000), 'd'],
    [Math.floor(whole / 3_600_000) % 24, 'h'],
    [Math.floor(whole / 60_000) % 60, 'm'],
    [(whole % 60_000) / 1000, 's'],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join('');
}

interface Term {
  readonly whole: string;
  readonly fraction: string;
  readonly unit: bigint;
}

function readTerms(text: string): Term[] {
  const terms: Term[] = [];
  const pattern = new RegExp(term);
  while (pattern.lastIndex < text.length) {
    const [, whole = '', fraction = '', unitName = ''] = pattern.exec(text) ?? [];
    const unit = nanosecondsPer.get(unitName);
    if (unit === undefined || whole + fraction === '') throw syntaxError(text);
    terms.push({ whole, fraction, unit });
  }
  return terms;
}

function syntaxError(text: string): DurationError {
  const hint = /^\d+(\.\d+)?$/.test(text)
    ? ` (a number alone has no unit: ${quote(`${text}s`)} is seconds)`
    : '';
  return new DurationError(
    'SYNTAX',
    `expected a duration such as 30s, 1m30s or 7d, got ${quote(text)}${hint}`,
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** At most three digits after the point; no exponent. */
function trimmedNumber(value: number): string {
  return String(Number(Math.max(value, 0.001).toFixed(3)));
}
