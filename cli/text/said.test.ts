import { describe, expect, test } from 'vitest';
import { firstAndLast, inOneLine } from './said.js';

const traceback =
  'the helper exited with code 1: Traceback:\n  File "a.py", line 7\r\n\r\n    ^^^\nKeyError: rack\n';

describe('what was said', () => {
  test('is one line, whole', () => {
    expect(inOneLine(traceback)).toBe(
      'the helper exited with code 1: Traceback: | File "a.py", line 7 | ^^^ | KeyError: rack',
    );
    expect(inOneLine('')).toBe('');
  });

  test('is one line, with what failed and why', () => {
    expect(firstAndLast(traceback)).toBe('the helper exited with code 1: Traceback: … KeyError: rack');
    expect(firstAndLast('no such rack\nin the CMDB')).toBe('no such rack | in the CMDB');
    expect(firstAndLast('no such rack')).toBe('no such rack');
    expect(firstAndLast('')).toBe('');
  });

  test('gives a terminal no orders', () => {
    expect(inOneLine('\u001b[2J')).toBe('\\u{1b}[2J');
    expect(firstAndLast('a\n\u001b[2J')).toBe('a | \\u{1b}[2J');
  });
});
