import { expect, test } from 'vitest';
import type { Loss } from '../spawner/protocol.js';
import { describeLoss, isInOrder } from './loss.js';

const exited = (code: number | null, signal: string | null = null) =>
  ({ how: 'EXITED', code, signal }) as const;
const outOfTurn = { how: 'OUT_OF_TURN' } as const;

test.each<[Loss['cause'], boolean, number, string]>([
  [
    exited(0),
    false,
    1,
    'a helper process exited with code 0 after 1 answer; another is started when it is needed',
  ],
  [exited(3), true, 2, 'a helper process exited with code 3 after 2 answers; another is asked the same'],
  [
    exited(null, 'SIGSEGV'),
    false,
    0,
    'a helper process was killed by SIGSEGV after 0 answers; another is started when it is needed',
  ],
  [
    { how: 'CLOSED', stream: 'stdin' },
    true,
    7,
    'a helper process closed its standard input after 7 answers; another is asked the same',
  ],
  [
    outOfTurn,
    false,
    7,
    'a helper process wrote to standard output without being asked, after 7 answers, and was killed; another is started when it is needed',
  ],
])('%o is told', (cause, asked, answered, said) => {
  expect(describeLoss({ cause, asked, answered, stderr: '' })).toBe(said);
});

test('only a program that ends with code 0 is in order', () => {
  const isFine = (cause: Loss['cause']) => isInOrder({ cause, asked: false, answered: 1, stderr: '' });
  expect([exited(0), exited(1), exited(null, 'SIGTERM'), outOfTurn].map(isFine)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
