import { describe, expect, it } from 'vitest';
import { Event, EventType } from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { Outcome, Step } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import { event, sampleEvents } from '../../../test/fakes/provisioning-events.js';
import type { ProvisioningEvent } from '../events/event.js';
import { eventEncoder } from './convert-event.js';

const encode = eventEncoder({ site: 'lab', provisioner: 'p1' });
const at = Date.UTC(2030, 0, 1);

/** Whether a field is as it is where nobody has set it. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return value === undefined || value === '' || value === false || value === 0 || value === 0n;
}

function told(what: ProvisioningEvent): Event {
  return Event.decode(encode(what, { sequence: 7, id: 'an-id', at }));
}

describe('an event as it is told', () => {
  it.each(Object.values(sampleEvents()))('says what happened: $type', (sample) => {
    const { details, type, ...envelope } = told(sample);
    expect(envelope).toEqual({
      sequence: 7n,
      id: 'an-id',
      time: new Date(at),
      site: 'lab',
      provisioner: 'p1',
      identity: 'identity' in sample ? sample.identity : '',
      runId: 'runId' in sample ? sample.runId : '',
    });
    expect(type).toBe(EventType[sample.type]);
    const camel = sample.type.toLowerCase().replaceAll(/_./g, ([, letter = '']) => letter.toUpperCase());
    expect(details?.$case).toBe(camel);
  });

  /** With a value in each field, whatever sense it makes. */
  const full: readonly ProvisioningEvent[] = Object.values({
    ...sampleEvents(),
    RUN_STARTED: event('RUN_STARTED', { failuresInRow: 2 }),
    STEP_FAILED: event('STEP_FAILED', { reason: 'REBOOTED' }),
    RUN_FINISHED: event('RUN_FINISHED', {
      outcome: 'FAILED',
      reason: 'UNREACHABLE',
      message: 'no route to host',
      unsettled: true,
      failuresInRow: 3,
    }),
    NODE_CONFIRMED: event('NODE_CONFIRMED', { onItsOwnWord: true }),
    RESUMED: event('RESUMED', { message: 'done' }),
  });

  it.each(full)('fills every field of its details: $type', (sample) => {
    const fields = Object.entries(told(sample).details?.value ?? {});
    expect(fields).not.toEqual([]);
    expect(fields.filter(([, value]) => isEmpty(value))).toEqual([]);
  });

  it('says how a run ended, and until when its host is as it is', () => {
    expect(told(event('RUN_FINISHED')).details?.value).toMatchObject({
      outcome: Outcome.PROVISIONED,
      nextStateUntil: new Date(at + 60_000),
      failuresInARow: 0,
    });
  });

  it('says when a node that keeps coming back may be tried again', () => {
    expect(told(event('PROVISION_LOOP')).details?.value).toMatchObject({ until: new Date(at + 120_000) });
  });

  it('is whole after one that could not be told', () => {
    const broken = { ...event('STEP_COMPLETED'), tries: 0.5 };
    expect(() => told(broken)).toThrow();
    expect(told(event('PAUSED'))).toMatchObject({ type: EventType.PAUSED, id: 'an-id' });
  });

  it('has the digest as bytes', () => {
    const { details } = told(event('NODE_CONFIRMED'));
    expect(details?.value).toMatchObject({ configurationDigest: Buffer.alloc(32, 0xab) });
  });

  it('cuts texts at 4 KiB, and never within a character', () => {
    for (const letter of ['a', 'ö', '語', '🚢']) {
      const { details } = told(event('STEP_FAILED', { message: letter.repeat(5_000) }));
      const value = details?.$case === 'stepFailed' ? details.value : undefined;
      expect(value?.step).toBe(Step.CONFIGURE);
      const message = value?.message ?? '';
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
      expect(Buffer.byteLength(message)).toBeGreaterThan(4080);
      expect(message).toMatch(new RegExp(`^${letter}+…$`, 'u'));
    }
  });
});
