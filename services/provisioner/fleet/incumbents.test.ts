import { describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { node } from '../../../test/fakes/node-events.js';
import { Incumbents } from './incumbents.js';
import type { SightedNode } from './node-event.js';

/** Answers when told to. */
class Asked {
  readonly names: string[] = [];
  readonly answers: ((there: boolean) => void)[] = [];

  readonly isStillThere = (sighted: SightedNode): Promise<boolean> => {
    this.names.push(sighted.identity);
    return new Promise((resolve) => this.answers.push(resolve));
  };
}

describe('incumbents', () => {
  it('are asked one question at a time', async () => {
    const asked = new Asked();
    const incumbents = new Incumbents(asked.isStillThere);
    const heard: boolean[] = [];
    incumbents.ask(node('a'), (there) => heard.push(there));
    incumbents.ask(node('a'), (there) => heard.push(there));
    expect(asked.names).toEqual(['a']);
    asked.answers[0]?.(true);
    await settle();
    expect(heard).toEqual([true]);
    incumbents.ask(node('a'), (there) => heard.push(there));
    expect(asked.names).toEqual(['a', 'a']);
  });

  it('are asked some at once, the others after them', async () => {
    const asked = new Asked();
    const incumbents = new Incumbents(asked.isStillThere, 2);
    for (const name of ['a', 'b', 'c']) incumbents.ask(node(name), () => {});
    expect(asked.names).toEqual(['a', 'b']);
    asked.answers[0]?.(false);
    await settle();
    expect(asked.names).toEqual(['a', 'b', 'c']);
  });

  it('are gone where asking fails', async () => {
    const heard: boolean[] = [];
    const incumbents = new Incumbents(() => Promise.reject(new Error('no route')));
    incumbents.ask(node('a'), (there) => heard.push(there));
    await settle();
    expect(heard).toEqual([false]);
  });
});
