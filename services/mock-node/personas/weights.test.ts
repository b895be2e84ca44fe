import { describe, expect, test } from 'vitest';
import { parseWeights } from './weights.js';

test('weights are whole or decimal numbers', () => {
  expect(parseWeights('healthy=70,slow=0.5, dead = 0')).toEqual({ healthy: 70, slow: 0.5, dead: 0 });
});

describe('what is wrong is told', () => {
  test.each([
    [
      'heathy=1',
      'heathy: there is no such persona, but healthy, slow, dead, flapping, looping, cloned, lying, ageing; did you mean healthy?',
    ],
    ['constructor=1', 'constructor: there is no such persona'],
    ['slow', '"slow": expected NAME=WEIGHT, and more of them after commas'],
    ['slow=1,', '"": expected NAME=WEIGHT'],
    ['', '"": expected NAME=WEIGHT'],
    ['slow=1=2', '"slow=1=2": expected NAME=WEIGHT'],
    ['slow=-1', 'slow=-1: expected a weight of 0 or more, as in slow=70 or slow=0.7'],
    ['slow=1e3', 'slow=1e3: expected a weight'],
    ['slow=', 'slow=: expected a weight'],
    ['slow=.5', 'slow=.5: expected a weight'],
    ['slow=1,slow=2', 'slow is given twice'],
    ['slow=0,dead=0.0', 'slow=0,dead=0.0: expected at least one weight above 0'],
  ])('%j', (text, problem) => {
    expect(() => parseWeights(text)).toThrow(problem);
  });
});
