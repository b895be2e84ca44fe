// Reads strict JSON into a tree that keeps what JSON.parse loses: the order of members, repeated keys,
// numbers as they were written, and where an error is. What the tree should hold is reply.ts's matter.

import { printParseErrorCode, visit } from 'jsonc-parser';

export interface JsonMember {
  readonly key: string;
  readonly value: JsonValue;
}

export type JsonValue =
  | { readonly type: 'object'; readonly members: readonly JsonMember[] }
  | { readonly type: 'array'; readonly items: readonly JsonValue[] }
  | { readonly type: 'string'; readonly value: string }
  /** `text` is the number as it was written. */
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'null' };

/** The text is not JSON. The message says where and what was expected, and quotes nothing of the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

const maxDepth = 1_000;

/** An object or array that is not closed yet. */
interface Open {
  add(value: JsonValue): void;
  /** The key that the next value belongs to, in an object. */
  key: string;
}

/**
 * Reads one JSON value with nothing but white space around it: no comments, no trailing commas, no byte
 * order mark. Lone surrogates become U+FFFD, so that every string can be written as UTF-8.
 *
 * @throws JsonError with the line and column of the first error
 */
export function parseJson(text: string): JsonValue {
  if (text.startsWith('\ufeff')) throw errorAt(0, 0, 'a byte order mark is not allowed');
  const open: Open[] = [];
  let root: JsonValue | undefined;

  function add(value: JsonValue): void {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else parent.add(value);
  }

  function enter(container: Open, value: JsonValue, line: number, column: number): void {
    if (open.length === maxDepth) throw errorAt(line, column, `nested more than ${maxDepth} levels deep`);
    add(value);
    open.push(container);
  }

  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line, column) => {
        const members: JsonMember[] = [];
        const container: Open = { key: '', add: (value) => members.push({ key: container.key, value }) };
        enter(container, { type: 'object', members }, line, column);
      },
      onArrayBegin: (_offset, _length, line, column) => {
        const items: JsonValue[] = [];
        enter({ key: '', add: (value) => items.push(value) }, { type: 'array', items }, line, column);
      },
      onObjectProperty: (key) => {
        const parent = open.at(-1);
        if (parent !== undefined) parent.key = wellFormed(key);
      },
      onObjectEnd: () => {
        open.pop();
      },
      onArrayEnd: () => {
        open.pop();
      },
      onLiteralValue: (value, offset, length) => {
        add(literal(value, text.slice(offset, offset + length)));
      },
      onError: (code, offset, _length, line, column) => {
        throw errorAt(
          line,
          column,
          offset >= text.length ? 'unexpected end of the text' : sentence(printParseErrorCode(code)),
        );
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  if (root === undefined) throw errorAt(0, 0, sentence('ValueExpected'));
  return root;
}

function literal(value: unknown, text: string): JsonValue {
  if (typeof value === 'string') return { type: 'string', value: wellFormed(value) };
  if (typeof value === 'number') return { type: 'number', text };
  if (typeof value === 'boolean') return { type: 'boolean', value };
  return { type: 'null' };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** @param line from 0 @param column from 0 */
function errorAt(line: number, column: number, what: string): JsonError {
  return new JsonError(`line ${line + 1}, column ${column + 1}: ${what}`);
}

function sentence(code: string): string {
  return sentences[code] ?? 'not JSON';
}

const sentences: Readonly<Record<string, string>> = {
  InvalidSymbol: 'expected a JSON value',
  InvalidNumberFormat: 'malformed number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a JSON value',
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'expected a closing brace',
  CloseBracketExpected: 'expected a closing bracket',
  EndOfFileExpected: 'nothing but white space may follow the object',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'the string that begins here is not closed on its line',
  UnexpectedEndOfNumber: 'malformed number',
  InvalidUnicode: String.raw`the string that begins here has a malformed \u escape`,
  InvalidEscapeCharacter: 'the string that begins here has an unknown escape',
  InvalidCharacter: 'the string that begins here has an unescaped control character',
};
