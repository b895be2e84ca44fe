import { describe, expect, it } from 'vitest';
import { loggerTo } from '../../../shared/logger.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { watchLog } from './watch-log.js';

function lines() {
  const written: { level: string; msg: string; attempts?: number; skipped?: number }[] = [];
  const log = loggerTo(
    { write: (line) => written.push(JSON.parse(line)) },
    { service: 'provisioner', site: 'lab', level: 'debug' },
  );
  return { log, written };
}

describe('the log of the watches', () => {
  it('has a line a minute of an outage, and one of its end', async () => {
    const { log, written } = lines();
    const clock = new FakeClock();
    const said = watchLog(log, clock);
    for (let second = 0; second < 150; second++) {
      said.lost('d:1', 'refused', second === 0);
      await clock.advance(1_000);
    }
    said.synced('d:1', 60_000);
    said.lost('d:1', 'gone', true);
    expect(written.map(({ level, msg, attempts }) => [level, msg.split(';')[0], attempts])).toEqual([
      ['warn', 'lost a discovery service', 1],
      ['warn', 'cannot watch a discovery service', 61],
      ['warn', 'cannot watch a discovery service', 121],
      ['info', 'watching a discovery service', undefined],
      ['warn', 'lost a discovery service', 1],
    ]);
  });

  it('has a line a minute of events that were passed over', async () => {
    const { log, written } = lines();
    const clock = new FakeClock();
    const said = watchLog(log, clock);
    for (let times = 0; times < 1_000; times++) said.skipped('d:1', 'junk');
    await clock.advance(60_000);
    said.skipped('d:1', 'junk');
    expect(written.map(({ skipped }) => skipped)).toEqual([1, 1_001]);
  });
});
