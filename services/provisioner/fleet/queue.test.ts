import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Queue } from './queue.js';

function takeAll(queue: Queue<string>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next);
  return taken;
}

describe('the queue', () => {
  it('is first in, first out up to half full', () => {
    const queue = new Queue<string>(100);
    for (const value of ['a1', 'a2', 'b1', 'a3']) queue.pushTail(value, value.charAt(0));
    expect(takeAll(queue)).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('goes round the sources over half full', () => {
    const queue = new Queue<string>(8);
    for (const value of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'])
      queue.pushTail(value, value.charAt(0));
    // Four left is half full: from there on it is first in, first out.
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4', 'a5', 'b2']);
  });

  it('takes what must fit beyond its limit', () => {
    const queue = new Queue<string>(1);
    queue.pushTail('a', 's');
    queue.pushTail('b', 's');
    expect(queue.size).toBe(2);
  });

  it('lets anyone leave from the middle', () => {
    const queue = new Queue<string>(100);
    for (const value of ['a', 'b', 'c']) queue.pushTail(value, 's');
    queue.remove('b');
    queue.remove('b');
    expect(takeAll(queue)).toEqual(['a', 'c']);
  });

  it('tells in which order it will give them', () => {
    const pushes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
    fc.assert(
      fc.property(pushes, fc.integer({ min: 1, max: 60 }), fc.nat({ max: 10 }), (entries, limit, takes) => {
        const queue = new Queue<string>(limit);
        for (const [index, source] of entries.entries()) {
          queue.pushTail(`${source}/${index}`, String(source));
        }
        for (let take = 0; take < takes; take++) queue.take();
        const told = [...queue.inTurn()];
        expect(told).toEqual(takeAll(queue));
      }),
    );
  });

  it('gives each value once, and no source two turns before the others had one', () => {
    const values = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.nat({ max: 99 })), {
      selector: ([source, number]) => `${source}/${number}`,
      maxLength: 60,
    });
    fc.assert(
      fc.property(values, (entries) => {
        const queue = new Queue<string>(1);
        for (const [source, number] of entries) queue.pushTail(`${source}/${number}`, String(source));
        const taken = takeAll(queue);
        expect([...taken].sort()).toEqual(entries.map(([source, number]) => `${source}/${number}`).sort());
        expect(queue.size).toBe(0);
        assertTurns(taken);
      }),
    );
  });
});

/** Between two turns of a source, each source that still waits has had one. */
function assertTurns(taken: readonly string[]): void {
  const sourceAt = taken.map((value) => value.split('/')[0]);
  // The last one is taken in order of the line: a queue of one is not over half full of a limit of two.
  for (let at = 0; at < taken.length; at++) {
    const next = sourceAt.indexOf(sourceAt[at], at + 1);
    if (next < 0) continue;
    const between = new Set(sourceAt.slice(at + 1, next));
    const waiting = new Set(sourceAt.slice(next + 1));
    for (const source of waiting) if (source !== sourceAt[at]) expect(between).toContain(source);
  }
}
