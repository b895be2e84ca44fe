import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Answer } from './answer.js';

/** Pushes a text in pieces and returns the answer with what was taken for its line. */
function heard(text: string, cuts: readonly number[] = [], limit = 100) {
  const answer = new Answer(limit);
  let rest = Buffer.from(text);
  let line = '';
  for (const cut of [...cuts, rest.length]) {
    line += answer.push(rest.subarray(0, cut)).toString();
    rest = rest.subarray(cut);
  }
  return { answer, line };
}

describe('an answer', () => {
  test('is what comes before the first line end, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{0,9}$/),
        fc.constantFrom('', ' ', '\n', '\r\n \t', 'x', '\n{}', ' \n x'),
        fc.array(fc.integer({ min: 0, max: 4 })),
        (text, excess, cuts) => {
          const { answer, line } = heard(`${text}\n${excess}`, cuts);
          expect(line).toBe(text);
          expect(answer.isComplete).toBe(true);
          expect(answer.isAlone).toBe(excess === '');
          expect(answer.mayBeTwo).toBe(excess.trim() !== '');
        },
      ),
    );
  });

  test('has begun with its first byte, be that its end', () => {
    expect(heard('').answer.hasBegun).toBe(false);
    expect(heard(' ').answer.hasBegun).toBe(true);
    expect(heard('\n').answer).toMatchObject({ hasBegun: true, isComplete: true });
    expect(heard('{}').answer.isComplete).toBe(false);
  });

  test('is too large where its line has more bytes than the limit; what follows the line does not count', () => {
    expect(heard('1234\n', [], 4).answer.isTooLarge).toBe(false);
    expect(heard('1234\n5', [], 4).answer.isTooLarge).toBe(false);
    expect(heard('12345\n', [3], 4).answer.isTooLarge).toBe(true);
    expect(heard('12345', [3], 4).answer.isTooLarge).toBe(true);
  });
});
