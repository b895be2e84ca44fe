// Turns what zod reports into problems with a sentence each. Fields that know better say their own sentence
// (fields.ts); this is for the plain zod types that services use beside them.

import type { z } from 'zod';
import type { Problem } from './config-error.js';
import { expectedButGot } from './describe.js';
import { suggestion } from './nearest.js';

type Issue = z.core.$ZodIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of settings',
  record: 'a map',
  undefined: 'nothing',
};

/** The sentence for an issue of a field that has none of its own; zod's error map. */
export function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
      return expectedButGot(typeName(issue.expected), input) + typeHint(issue.expected, input);
    case 'too_small':
      return expectedButGot(
        bound('at least', 'more than', issue.minimum, issue.inclusive, issue.origin),
        input,
      );
    case 'too_big':
      return expectedButGot(
        bound('at most', 'less than', issue.maximum, issue.inclusive, issue.origin),
        input,
      );
    case 'invalid_value': {
      const values = issue.values.map(String);
      const meant = typeof input === 'string' ? suggestion(input, values) : '';
      return (
        expectedButGot(values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`, input) + meant
      );
    }
    case 'invalid_union':
      return expectedButGot(alternatives(issue.errors), input);
    case 'not_multiple_of':
      return expectedButGot(`a multiple of ${issue.divisor}`, input);
    default:
      return undefined;
  }
}

/** An issue as problems at their dotted paths. Unknown keys are not reported here (unknown-keys.ts does). */
export function problemsOf(issue: Issue, prefix: readonly PropertyKey[] = []): Problem[] {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return [];
    case 'invalid_union': {
      // Where one alternative was entered and failed inside, what is wrong inside is what helps.
      const entered = issue.errors.find((branch) => branch.some((inner) => inner.path.length > 0));
      if (entered !== undefined) return entered.flatMap((inner) => problemsOf(inner, path));
      return [{ path: dotted(path), message: issue.message }];
    }
    default:
      return [{ path: dotted(path), message: issue.message }];
  }
}

/** `targets`, 1, `host` as `targets[1].host`. */
export function dotted(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function typeName(expected: string): string {
  return typeNames[expected] ?? expected;
}

function typeHint(expected: string, input: unknown): string {
  if (typeof input !== 'string') return '';
  switch (expected) {
    case 'boolean':
      return /^(true|false|yes|no|on|off)$/i.test(input) ? ' (write true or false, without quotes)' : '';
    case 'number':
    case 'int':
      return /^-?\d+(\.\d+)?$/.test(input) ? ' (write it without quotes)' : '';
    default:
      return '';
  }
}

function bound(
  atLeast: string,
  moreThan: string,
  limit: number | bigint,
  inclusive: boolean | undefined,
  origin: string,
): string {
  const words = `${inclusive === false ? moreThan : atLeast} ${limit}`;
  switch (origin) {
    case 'string':
      return `a text of ${words} ${limit === 1 ? 'character' : 'characters'}`;
    case 'array':
      return `a list of ${words} ${limit === 1 ? 'entry' : 'entries'}`;
    default:
      return words;
  }
}

function alternatives(branches: readonly (readonly Issue[])[]): string {
  const names = branches
    .flat()
    .map((issue) => (issue.code === 'invalid_type' ? typeName(issue.expected) : ''));
  const known = [...new Set(names.filter((name) => name !== ''))];
  return known.length === 0 ? 'another value' : known.join(' or ');
}
