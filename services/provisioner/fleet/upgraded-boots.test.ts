import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { boot, identity } from '../../../test/fakes/node-events.js';
import { UpgradedBoots } from './upgraded-boots.js';

const a = identity('a');
const b = identity('b');

describe('boots that were upgraded', () => {
  it('are known for a minute, each of its own node', async () => {
    const clock = new FakeClock();
    const boots = new UpgradedBoots(clock);
    boots.add(a, boot(1));
    await clock.advance(59_999);
    boots.add(a, boot(2));
    expect([boots.has(a, boot(1)), boots.has(a, boot(2)), boots.has(b, boot(1))]).toEqual([
      true,
      true,
      false,
    ]);
    await clock.advance(1);
    expect([boots.has(a, boot(1)), boots.has(a, boot(2))]).toEqual([false, true]);
    expect(boots.size).toBe(1);
  });

  it('are known from the last time on', async () => {
    const clock = new FakeClock();
    const boots = new UpgradedBoots(clock);
    boots.add(a, boot(1));
    await clock.advance(59_999);
    boots.add(a, boot(1));
    await clock.advance(59_999);
    expect(boots.has(a, boot(1))).toBe(true);
  });

  it('are forgotten, the oldest first, where there are too many', () => {
    const boots = new UpgradedBoots(new FakeClock(), { entries: 2, lifeMs: 60_000 });
    for (const number of [1, 2, 3]) boots.add(a, boot(number));
    expect([1, 2, 3].map((number) => boots.has(a, boot(number)))).toEqual([false, true, true]);
    expect(boots.size).toBe(2);
  });
});
