import { describe, expect, it } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { boot, identity } from '../../../test/fakes/node-events.js';
import { event } from '../../../test/fakes/provisioning-events.js';
import type { ProvisioningEvent } from '../events/event.js';
import { headerOf } from '../events/log/header.js';
import type { LogItem, Stretch } from '../events/watch/log-reader.js';
import type { Past } from '../standing/past.js';
import { eventEncoder } from './convert-event.js';
import { recallFrom } from './recall.js';

const node = identity('a.example.net');
const [first, second] = [newRunId(), newRunId()];

/** A second passes between two events; the first is at 1 s. */
function recalled(events: readonly ProvisioningEvent[], instance = 'this'): Past | undefined {
  const encode = eventEncoder({ site: 'lab', provisioner: 'that' });
  const items = events.map((each, index): LogItem => {
    const sequence = index + 1;
    const bytes = Buffer.from(encode(each, { sequence, id: '', at: sequence * 1_000 }));
    return { kind: 'EVENT', sequence, bytes, header: headerOf(each) };
  });
  const readOf = (_: string, { max }: Stretch) => items.toReversed().slice(0, max);
  return recallFrom({ events: { last: items.length, readOf }, instance, log: { warn: () => {} } })(node);
}

const started = (runId = first) => event('RUN_STARTED', { runId, bootId: boot(2), fence: 7n });
const finished = (runId = first) =>
  event('RUN_FINISHED', {
    runId,
    outcome: 'FAILED',
    reason: 'UNREACHABLE',
    message: 'refused',
    durationMs: 1_500,
  });

describe('of the past of a node the event log tells', () => {
  it('its runs, newest first, and how each ended', () => {
    const past = recalled([
      started(),
      event('STEP_FAILED', { runId: first, step: 'IDENTIFY' }),
      finished(),
      started(second),
      event('STEP_COMPLETED', { runId: second, step: 'RESTART' }),
      event('RUN_FINISHED', { runId: second, outcome: 'PROVISIONED', reason: '', unsettled: true }),
      event('NODE_CONFIRMED', { runId: second }),
    ]);
    expect(past?.runs).toMatchObject([
      { runId: second, outcome: 'PROVISIONED', unsettled: true, lastStep: 'RESTART', startedAt: 4_000 },
      { runId: first, fence: 7n, bootId: boot(2), startedAt: 1_000, durationMs: 1_500, outcome: 'FAILED' },
    ]);
    expect(past?.runs[0]).toMatchObject({ confirmation: 'CONFIRMED', confirmationAt: 7_000 });
    expect(past?.runs[1]).toMatchObject({ reason: 'UNREACHABLE', message: 'refused', lastStep: 'IDENTIFY' });
    expect(past?.runs[1]?.confirmation).toBeUndefined();
  });

  it('a confirmation that was missed', () => {
    const past = recalled([started(), finished(), event('CONFIRMATION_MISSED', { runId: first })]);
    expect(past?.runs[0]).toMatchObject({ confirmation: 'MISSED', confirmationAt: 3_000 });
  });

  it('a run that was broken off, and how far it had come', () => {
    const past = recalled([started(), event('STEP_COMPLETED', { runId: first, step: 'GET_JWT' })]);
    expect(past?.runs).toMatchObject([{ earlier: true, outcome: undefined, lastStep: 'GET_JWT' }]);
    expect(past?.runs[0]?.durationMs).toBeUndefined();
  });

  it('which runs were of the provisioner that asks', () => {
    expect(recalled([started(), finished()], 'that')?.runs[0]?.earlier).toBeUndefined();
    expect(recalled([started(), finished()], 'this')?.runs[0]?.earlier).toBe(true);
  });

  it('no run of which the beginning is gone', () => {
    expect(recalled([finished(), started(second)])?.runs.map(({ runId }) => runId)).toEqual([second]);
  });

  it('no more runs than are told', () => {
    const ids = Array.from({ length: 20 }, () => newRunId());
    const past = recalled(ids.flatMap((runId) => [started(runId), finished(runId)]));
    expect(past?.runs.map(({ runId }) => runId)).toEqual(ids.reverse().slice(0, 8));
  });

  it('when and why it was released, and where it was', () => {
    const place = { address: '192.0.2.7:1', bootId: boot(3) };
    const past = recalled([
      event('HOST_QUEUED', { ...place, cause: 'ADMITTED' }),
      started(),
      event('HOST_QUEUED', { ...place, cause: 'CANCELLED' }),
      event('HOST_RELEASED', { cause: 'GONE' }),
    ]);
    expect(past?.left).toMatchObject({ ...place, cause: 'GONE', at: 4_000, admittedAt: 1_000 });
    expect(past?.left?.lastSightedAt).toBe(1_000);
  });

  it('that it was known when the provisioner ended', () => {
    const past = recalled([
      event('HOST_RELEASED', { cause: 'GONE' }),
      event('HOST_QUEUED', { cause: 'ADMITTED' }),
    ]);
    expect(past?.left).toMatchObject({ address: '192.0.2.1:7430', cause: undefined, at: undefined });
  });

  it('nothing of a node that it does not know', () => {
    expect(recalled([])).toBeUndefined();
    expect(recalled([event('NODE_CONFLICT')])).toBeUndefined();
  });

  it('nothing where it cannot be read, which is warned of', () => {
    const warnings: unknown[] = [];
    const error = new Error('damaged');
    const readOf = () => {
      throw error;
    };
    const warn = (fields: unknown) => warnings.push(fields);
    const recall = recallFrom({ events: { last: 1, readOf }, instance: 'this', log: { warn } });
    expect(recall(node)).toBeUndefined();
    expect(warnings).toEqual([{ err: error, identity: node }]);
  });
});
