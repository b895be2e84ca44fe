import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { identity } from '../../../test/fakes/node-events.js';
import { RecordingSink } from '../../../test/fakes/recording-sink.js';
import { Drops } from './drops.js';

describe('dropped hosts', () => {
  it('are told once a second, all counted, some named', async () => {
    const clock = new FakeClock();
    const sink = new RecordingSink();
    const drops = new Drops(clock, sink);
    for (let at = 0; at < 101; at++) drops.add(identity(`n${at}`));
    expect(sink.of('HOST_DROPPED')).toMatchObject([{ count: 1, examples: ['n0'] }]);
    await clock.advance(1_000);
    expect(sink.of('HOST_DROPPED')[1]).toMatchObject({ count: 100 });
    expect(sink.of('HOST_DROPPED')[1]?.examples).toHaveLength(10);
    await clock.advance(10_000);
    expect(sink.events).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });
});
