import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { heapBytesOf } from '../../../test/fakes/heap.js';
import { boot, identity } from '../../../test/fakes/node-events.js';
import { Counters } from './counters.js';

const a = identity('a');

describe('failures in a row', () => {
  it('count up and end with a success', () => {
    const counters = new Counters(new FakeClock());
    expect([counters.failed(a), counters.failed(a)]).toEqual([1, 2]);
    counters.succeeded(a);
    expect(counters.failuresInRow(a)).toBe(0);
    expect(counters.failed(a)).toBe(1);
  });

  it('are forgotten two hours after the last', async () => {
    const clock = new FakeClock();
    const counters = new Counters(clock);
    counters.failed(a);
    await clock.advance(2 * 3_600_000 - 1);
    expect(counters.failuresInRow(a)).toBe(1);
    await clock.advance(1);
    expect(counters.failuresInRow(a)).toBe(0);
    expect(counters.size).toBe(0);
  });

  it('are forgotten of the one counted longest ago when there are too many', () => {
    const counters = new Counters(new FakeClock(), { entries: 2, lifeMs: 1000 });
    counters.failed(a);
    counters.failed(identity('b'));
    counters.failed(a);
    counters.failed(identity('c'));
    expect(counters.size).toBe(2);
    expect(counters.failuresInRow(a)).toBe(2);
    expect(counters.failuresInRow(identity('b'))).toBe(0);
  });
});

describe('comebacks', () => {
  it('are none where the node was made to come back, that once', () => {
    const counters = new Counters(new FakeClock());
    counters.provisioned(a, boot(1));
    counters.expected(a);
    expect(counters.sighted(a, boot(2))).toBe(0);
    counters.provisioned(a, boot(2));
    expect(counters.sighted(a, boot(3))).toBe(1);
  });

  it('are boots in provisioning mode after one that was provisioned, each counted once', () => {
    const counters = new Counters(new FakeClock());
    expect(counters.sighted(a, boot(1))).toBe(0);
    counters.provisioned(a, boot(1));
    expect(counters.sighted(a, boot(1))).toBe(0);
    expect(counters.sighted(a, boot(2))).toBe(1);
    expect(counters.sighted(a, boot(2))).toBe(0);
    counters.provisioned(a, boot(2));
    expect(counters.sighted(a, boot(3))).toBe(2);
  });

  it('count within an hour', async () => {
    const clock = new FakeClock();
    const counters = new Counters(clock);
    expect(counters.cameBack(a)).toBe(1);
    await clock.advance(1_800_000);
    expect(counters.cameBack(a)).toBe(2);
    await clock.advance(1_800_000);
    expect(counters.cameBack(a)).toBe(2);
  });
});

describe('upgrades in a row', () => {
  it('are kept by the versions from which they started, until the node is provisioned', () => {
    const counters = new Counters(new FakeClock());
    expect(counters.upgradedFrom(a)).toEqual([]);
    counters.upgraded(a, '1.0');
    counters.failed(a);
    counters.succeeded(a);
    counters.upgraded(a, '1.1');
    expect(counters.upgradedFrom(a)).toEqual(['1.0', '1.1']);
    counters.provisioned(a, boot(1));
    expect(counters.upgradedFrom(a)).toEqual([]);
  });

  it('end as well when the node comes up by other means', () => {
    const counters = new Counters(new FakeClock());
    counters.upgraded(a, '1.0');
    counters.cameUp(a, boot(1));
    expect(counters.upgradedFrom(a)).toEqual([]);
  });

  it('do not end with old news of a boot that came up before them', () => {
    const counters = new Counters(new FakeClock());
    counters.provisioned(a, boot(1));
    counters.cameUp(a, boot(2));
    counters.upgraded(a, '1.0');
    counters.cameUp(a, boot(2));
    expect(counters.upgradedFrom(a)).toEqual(['1.0']);
    counters.cameUp(a, boot(4));
    expect(counters.upgradedFrom(a)).toEqual([]);
  });

  it('are the last 16', () => {
    const counters = new Counters(new FakeClock());
    const versions = Array.from({ length: 40 }, (_, number) => `1.${number}`);
    for (const version of versions) counters.upgraded(a, version);
    expect(counters.upgradedFrom(a)).toEqual(versions.slice(-16));
  });

  it('are forgotten two hours after each, however often the node fails since', async () => {
    const clock = new FakeClock();
    const counters = new Counters(clock);
    counters.upgraded(a, '1.0');
    await clock.advance(3_600_000);
    counters.upgraded(a, '1.1');
    await clock.advance(3_600_000);
    counters.failed(a);
    expect(counters.upgradedFrom(a)).toEqual(['1.1']);
    await clock.advance(3_600_000);
    expect(counters.upgradedFrom(a)).toEqual([]);
    expect(counters.failuresInRow(a)).toBe(1);
  });
});

describe('the memory of counters', () => {
  it('is 400 bytes at most for each node that was provisioned once', () => {
    const count = 10_000;
    const nodes = Array.from({ length: count }, (_, index) => identity(`node-${index}`));
    const bytes = heapBytesOf(() => {
      const counters = new Counters(new FakeClock());
      for (const node of nodes) {
        counters.provisioned(node, boot(1));
        counters.cameUp(node, boot(2));
        counters.succeeded(node);
      }
      return counters;
    });
    // Some 290, or 310 where the engine keeps a number in an object of its own; twice as much with a shape for each entry.
    expect(bytes / count).toBeLessThan(400);
  });
});
