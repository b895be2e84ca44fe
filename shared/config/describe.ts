// How messages about configuration name a value. What should have been there is the fields' to say.

const longestShown = 60;

/** What a value is, with the value where it is short: `the text "abc"`, `the number 300`, `a list`. */
function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : `the text ${shorten(value)}`;
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return `${value}`;
    default:
      return describeKind(value);
  }
}

/** What kind of value it is, without the value: for what may be secret, or is too large to be shown. */
export function describeKind(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    default:
      return 'a map';
  }
}

/** The sentence of a problem: what was expected, and what was there. */
export function expectedButGot(expected: string, input: unknown, got = describe(input)): string {
  if (input === undefined) return `is required: expected ${expected}`;
  if (input === null) return `is empty: expected ${expected}`;
  return `expected ${expected}, got ${got}`;
}

function shorten(text: string): string {
  return JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text);
}
