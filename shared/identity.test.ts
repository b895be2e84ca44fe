import { describe, expect, it } from 'vitest';
import { newBootId, newRunId, parseBootId, parseIdentity, parseRunId } from './identity.js';

describe('an identity', () => {
  it('is folded to lower case', () => {
    expect(parseIdentity('Node-1.EXAMPLE.net')).toBe('node-1.example.net');
  });

  it.each(['a', '7', 'a_b', 'a-', 'a..b', `${'a'.repeat(253)}`])('may be %j', (text) => {
    expect(parseIdentity(text)).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['254 characters', 'a'.repeat(254)],
    ['a trailing dot', 'a.example.net.'],
    ['a leading dot', '.a'],
    ['a leading hyphen', '-a'],
    ['a leading underscore', '_a'],
    ['a space', 'a b'],
    ['a slash', '../a'],
    ['a line feed at the end', 'a\n'],
    ['a letter outside ASCII', 'ä.example.net'],
    ['a Kelvin sign, which folds to k', '\u212a.example.net'],
  ])('is not %s', (_what, text) => {
    expect(parseIdentity(text)).toBeUndefined();
  });
});

describe('boot ids and run ids', () => {
  it('are UUIDs in lower case', () => {
    const text = '0190A5C2-3F4B-7D11-9A5E-0123456789AB';
    expect(parseBootId(text)).toBe(text.toLowerCase());
    expect(parseRunId(text)).toBe(text.toLowerCase());
    expect(parseBootId(`${text}0`)).toBeUndefined();
    expect(parseRunId('')).toBeUndefined();
  });

  it('are new each time, and run ids are of version 7', () => {
    expect(newBootId()).not.toBe(newBootId());
    expect(parseRunId(newRunId())?.charAt(14)).toBe('7');
  });
});
