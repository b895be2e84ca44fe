import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from './secret.js';

describe('Secret', () => {
  const secret = new Secret('s3cret');

  it('gives its text only when asked', () => {
    expect(secret.reveal()).toBe('s3cret');
  });

  it.each([
    ['a template', `${secret}`],
    ['JSON', JSON.stringify({ token: secret })],
    ['inspect', inspect({ token: secret }, { showHidden: true, depth: 5 })],
    ['format', format('%s %o %j', secret, secret, secret)],
    ['its keys', JSON.stringify(Object.entries(secret))],
    ['a copy', inspect({ ...secret })],
  ])('does not show in %s', (_, text) => {
    expect(text).not.toContain('s3cret');
  });
});
