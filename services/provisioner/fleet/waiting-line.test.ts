import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { node } from '../../../test/fakes/node-events.js';
import { type Host, newHost } from './host.js';
import { WaitingLine } from './waiting-line.js';

function host(name: string, source = '192.0.2.1'): Host {
  return newHost({ ...node(name), address: `${source}:7430` }, 0);
}

function takeAll(line: WaitingLine): string[] {
  const taken: string[] = [];
  for (let next = line.take(); next !== undefined; next = line.take()) taken.push(next.identity);
  return taken;
}

/** A line from which so many were taken. */
function lineOf(limit: number, hosts: readonly Host[], takes: number) {
  const line = new WaitingLine(limit);
  for (const each of hosts) line.pushTail(each);
  return { line, taken: hosts.slice(0, takes).flatMap(() => line.take() ?? []) };
}

describe('the waiting line', () => {
  const some = ['a', 'b', 'c', 'd', 'e'];

  it('has those that runs give back at its head, in the order in which they were taken', () => {
    const { line, taken } = lineOf(
      100,
      some.map((name) => host(name)),
      3,
    );
    for (const index of [1, 2, 0]) line.giveBack(taken[index] as Host);
    expect([...line.inTurn()].map(({ identity }) => identity)).toEqual(some);
    expect(line.oldest?.identity).toBe('a');
    expect(line.size).toBe(5);
    expect(takeAll(line)).toEqual(some);
  });

  it('puts one that goes to the tail instead behind all, whenever the others come back', () => {
    const { line, taken } = lineOf(
      100,
      some.map((name) => host(name)),
      2,
    );
    const [a, b] = taken as [Host, Host];
    line.giveBack(a);
    line.take();
    line.pushTail(a);
    line.giveBack(b);
    expect(takeAll(line)).toEqual(['b', 'c', 'd', 'e', 'a']);
  });

  it('gives those at its head first, also over half full', () => {
    const { line, taken } = lineOf(2, [host('a1'), host('a2'), host('b1', '192.0.2.2')], 2);
    expect(taken.map(({ identity }) => identity)).toEqual(['a1', 'b1']);
    for (const each of [...taken].reverse()) line.giveBack(each);
    expect(takeAll(line)).toEqual(['a1', 'b1', 'a2']);
  });

  it('knows who has waited for longest, which over half full is not who is next', () => {
    const later = host('b1', '192.0.2.2');
    later.queuedAt = 1_000;
    const { line, taken } = lineOf(2, [host('a1'), host('a2'), later], 2);
    line.giveBack(taken[1] as Host);
    expect([...line.inTurn()].map(({ identity }) => identity)).toEqual(['b1', 'a2']);
    expect(line.oldest?.identity).toBe('a2');
    line.giveBack(taken[0] as Host);
    expect(line.oldest?.identity).toBe('a1');
  });

  it('is full with those at its head, and still takes what must fit', () => {
    const { line, taken } = lineOf(2, [host('a'), host('b')], 1);
    expect(line.fits).toBe(true);
    line.giveBack(taken[0] as Host);
    expect(line.fits).toBe(false);
    line.pushTail(host('c'));
    expect(line.size).toBe(3);
  });

  it('lets anyone leave', () => {
    const { line, taken } = lineOf(
      100,
      some.map((name) => host(name)),
      2,
    );
    for (const each of taken) line.giveBack(each);
    line.remove(taken[0] as Host);
    line.remove(taken[0] as Host);
    expect(takeAll(line)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('loses no turn by what is given back, in whatever order', () => {
    const sources = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 30 });
    fc.assert(
      fc.property(
        sources,
        fc.integer({ min: 1, max: 30 }),
        fc.nat({ max: 10 }),
        fc.infiniteStream(fc.nat()),
        (of, limit, takes, picks) => {
          const hosts = () => of.map((source, index) => host(`n${index}`, `192.0.2.${source}`));
          const untouched = takeAll(lineOf(limit, hosts(), 0).line);
          const { line, taken } = lineOf(limit, hosts(), takes);
          while (taken.length > 0) {
            const [back] = taken.splice((picks.next().value as number) % taken.length, 1);
            line.giveBack(back as Host);
          }
          const told = [...line.inTurn()].map(({ identity }) => identity);
          const now = takeAll(line);
          expect(told).toEqual(now);
          expect(now).toEqual(untouched);
        },
      ),
    );
  });
});
