// Takes typed values out of a JSON tree. Every complaint names the key's path and says what was expected
// and what was there. Which keys a reply has is reply.ts's matter.

import type { JsonValue } from './json.js';

/** A value is not what it should be; the message begins with the path of its key. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

/** A value and the path that led to it, for messages. */
export interface Field {
  readonly path: string;
  readonly value: JsonValue;
}

/**
 * The members of an object whose keys are fixed, by lower-case key. Keys are matched without regard to
 * case and the later spelling wins; null is as absent.
 */
export function fixedKeys(
  path: string,
  members: readonly { key: string; value: JsonValue }[],
): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const { key, value } of members) {
    if (value.type === 'null') continue;
    fields.set(key.toLowerCase(), { path: pathOf(path, key), value });
  }
  return fields;
}

/** The members of an object with fixed keys; none where the field is absent. */
export function objectField(field: Field | undefined): Map<string, Field> | undefined {
  if (field === undefined) return undefined;
  if (field.value.type !== 'object') throw mismatch(field, 'an object');
  return fixedKeys(field.path, field.value.members);
}

/** A string. @throws FieldError where it is something else */
export function stringField(field: Field | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (field.value.type !== 'string') throw mismatch(field, 'a string');
  return field.value.value;
}

/** True or false. @throws FieldError where it is something else */
export function booleanField(field: Field | undefined): boolean | undefined {
  if (field === undefined) return undefined;
  if (field.value.type !== 'boolean') throw mismatch(field, 'true or false', 'quote');
  return field.value.value;
}

/** A number, or a string that is one. @throws FieldError where it is something else */
export function numberField(field: Field | undefined): number | undefined {
  if (field === undefined) return undefined;
  const { value } = field;
  const text = value.type === 'number' ? value.text : value.type === 'string' ? value.value : '';
  const number = numberPattern.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) throw mismatch(field, 'a number', 'quote');
  return number;
}

const numberPattern = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** An array of strings. @throws FieldError where it, or one of them, is something else */
export function stringsField(field: Field | undefined): string[] | undefined {
  if (field === undefined) return undefined;
  if (field.value.type !== 'array') throw mismatch(field, 'an array of strings');
  return field.value.items.map((item, index) => {
    if (item.type === 'string') return item.value;
    throw mismatch({ path: `${field.path}[${index}]`, value: item }, 'a string');
  });
}

/**
 * An object of strings. Its keys are taken as they are; null is an empty string.
 *
 * @throws FieldError where it, or one of them, is something else
 */
export function stringMapField(field: Field | undefined): Map<string, string> {
  const strings = new Map<string, string>();
  if (field === undefined) return strings;
  if (field.value.type !== 'object') throw mismatch(field, 'an object of strings');
  for (const { key, value } of field.value.members) {
    if (value.type === 'string') strings.set(key, value.value);
    else if (value.type === 'null') strings.set(key, '');
    else throw mismatch({ path: pathOf(field.path, key), value }, 'a string');
  }
  return strings;
}

/**
 * @param strings whether a short string is quoted: only where no text is expected, since what stands in
 * the place of a text may be a secret
 */
export function mismatch({ path, value }: Field, expected: string, strings?: 'quote'): FieldError {
  const got = describe(value, strings === 'quote' ? longestQuote : 0);
  return new FieldError(`${path === '' ? 'output' : path}: expected ${expected}, got ${got}`);
}

const longestQuote = 20;

function describe(value: JsonValue, quote: number): string {
  switch (value.type) {
    case 'object':
      return 'an object';
    case 'array':
      return 'an array';
    case 'string':
      if (value.value === '') return 'an empty string';
      return value.value.length <= quote ? `the string ${JSON.stringify(value.value)}` : 'a string';
    case 'number':
      return `the number ${shorten(value.text, 40)}`;
    case 'boolean':
      return String(value.value);
    case 'null':
      return 'null';
  }
}

/** The path of a key within an object, for messages. */
export function pathOf(path: string, key: string): string {
  // A key that is no plain word is quoted, so that it can neither be empty nor break the line.
  const shown = /^[\w.:/@-]+$/.test(key) ? shorten(key, 100) : JSON.stringify(shorten(key, 100));
  return path === '' ? shown : `${path}.${shown}`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
