// A subscriber that stands still while the log forgets what it did not read.

import { expect, test } from 'vitest';
import { GapReason, type WatchEventsResponse } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { untilConfirmed } from '../e2e/confirmed.js';
import { eventsOf } from '../e2e/events-client.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';
import { size } from './sizes.js';
import { wholeLog } from './subscribers/whole-log.js';

const nodes = size('FLEET_NODES', 1_000);
const patienceMs = 240_000;

test('retention overtakes a subscriber that stands still: it is told from where to where, and goes on', {
  timeout: patienceMs + 60_000,
}, async () => {
  const stack = await prepareStack({
    nodes,
    helper: testHelper('stamped.sh'),
    provisioner: { identify_timeout: '10s', events: { max_count: 2 * nodes } },
  });
  await stack.start('discovery');
  await stack.start('provisioner');
  const client = eventsOf(stack);
  const heard: number[] = [];
  const gaps: {
    readonly first: number;
    readonly last: number;
    readonly reason: number;
    readonly at: number;
  }[] = [];
  const stream = client.watchEvents({ start: { $case: 'earliest', value: {} }, filter: undefined });
  stream.on('error', () => {});
  stream.on('data', ({ message }: WatchEventsResponse) => {
    if (message?.$case === 'events') {
      heard.push(...message.value.events.map(({ sequence }) => Number(sequence)));
      if (gaps.length === 0) stream.pause();
    } else if (message?.$case === 'gap') {
      const { first, last, reason } = message.value;
      gaps.push({ first: Number(first), last: Number(last), reason, at: heard.length });
    }
  });
  await stack.start('mock-node');
  await untilConfirmed(stack, nodes, patienceMs);

  const log = await wholeLog(client);
  const [oldest, newest] = [log.events.at(0), log.events.at(-1)].map((event) => Number(event?.sequence));
  const resume = () => {
    stream.resume();
    return heard.at(-1);
  };
  await expect.poll(resume, { timeout: 30_000 }).toBeGreaterThanOrEqual(newest ?? 0);
  stream.cancel();
  expect(gaps).toHaveLength(1);
  const [gap] = gaps;
  const [before, after] = [heard.slice(0, gap?.at), heard.slice(gap?.at)];
  process.stdout.write(`read ${before.length}, gap ${gap?.first} to ${gap?.last}, then ${after.length}\n`);
  expect(gap).toMatchObject({ first: before.length + 1, reason: GapReason.RETENTION });
  // What the log forgot between the listing and the gap may be a little more.
  expect(gap?.last).toBeGreaterThanOrEqual((oldest ?? 0) - 1);
  expect(before).toEqual(before.map((_, index) => index + 1));
  expect(after).toEqual(after.map((_, index) => (gap?.last ?? 0) + 1 + index));
  expect(heard.length).toBeLessThan(newest ?? 0);
});
