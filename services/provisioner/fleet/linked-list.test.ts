import { describe, expect, it } from 'vitest';
import { LinkedList } from './linked-list.js';

describe('a linked list', () => {
  it('keeps the order of both ends and forgets what was removed', () => {
    const list = new LinkedList<string>();
    list.push('a');
    const b = list.push('b');
    list.push('c');
    list.remove(b);
    list.remove(b);
    expect([...list]).toEqual(['a', 'c']);
    expect(list.size).toBe(2);
    expect(list.shift()).toBe('a');
    expect(list.shift()).toBe('c');
    expect(list.shift()).toBeUndefined();
    expect(list.first).toBeUndefined();
  });

  it('does not touch a place of another list', () => {
    const one = new LinkedList<string>();
    const other = new LinkedList<string>();
    const place = one.push('a');
    other.push('b');
    other.remove(place);
    expect([...one, ...other]).toEqual(['a', 'b']);
  });
});
