import { describe, expect, it } from 'vitest';
import { everyEventType } from '../../../test/fakes/node-events.js';
import { type Action, admission, meaningOf, type Standing } from './admission.js';
import type { BootRelation } from './boots.js';
import type { NodeEvent } from './node-event.js';

type EventType = NodeEvent['type'];

const sightings: EventType[] = ['STARTUP', 'SIGHTED', 'UPGRADED'];
const departures: EventType[] = ['SHUTDOWN', 'EXPIRED'];

// The table of design, section 5, a line per cell: host, events, boots, action.
const cells: [Standing, EventType[], BootRelation[], Action][] = [
  ['UNKNOWN', sightings, ['NEW'], 'ADMIT'],
  ['UNKNOWN', [...departures, 'PROVISIONED', 'CONFLICT'], ['NEW'], 'IGNORE'],

  ['QUEUED', sightings, ['CURRENT'], 'REFRESH'],
  ['QUEUED', sightings, ['NEW'], 'REFRESH_AND_FORGET'],
  ['QUEUED', departures, ['CURRENT'], 'RELEASE'],
  ['QUEUED', ['PROVISIONED'], ['CURRENT', 'NEW'], 'RELEASE'],

  ['RUNNING', sightings, ['CURRENT'], 'NOTE'],
  ['RUNNING', sightings, ['NEW'], 'NOTE_AND_SUPERSEDE'],
  ['RUNNING', departures, ['CURRENT'], 'NOTE'],
  ['RUNNING', ['PROVISIONED'], ['CURRENT', 'NEW'], 'NOTE'],

  ['HELD', sightings, ['CURRENT'], 'NOTE'],
  ['HELD', sightings, ['NEW'], 'END_HOLD'],
  ['HELD', departures, ['CURRENT'], 'NOTE'],
  ['HELD', ['PROVISIONED'], ['CURRENT', 'NEW'], 'NOTE'],

  ['BACKING_OFF', sightings, ['CURRENT', 'NEW'], 'NOTE'],
  ['BACKING_OFF', departures, ['CURRENT'], 'RELEASE'],
  ['BACKING_OFF', ['PROVISIONED'], ['CURRENT', 'NEW'], 'RELEASE'],

  // A replaced boot, a departure of a boot that is not the current one, and a conflict change nothing.
  ...(['QUEUED', 'RUNNING', 'HELD', 'BACKING_OFF'] as const).flatMap(
    (host): [Standing, EventType[], BootRelation[], Action][] => [
      [host, [...sightings, ...departures, 'PROVISIONED'], ['REPLACED'], 'IGNORE'],
      [host, departures, ['NEW'], 'IGNORE'],
      [host, ['CONFLICT'], ['CURRENT', 'NEW', 'REPLACED'], 'IGNORE'],
    ],
  ),
];

const expected = new Map<string, Action>();
for (const [host, events, boots, action] of cells) {
  for (const event of events) {
    for (const boot of boots) expected.set(`${host} ${event} ${boot}`, action);
  }
}

describe('the table of admission', () => {
  for (const [host, row] of Object.entries(admission)) {
    const relations: BootRelation[] = host === 'UNKNOWN' ? ['NEW'] : ['CURRENT', 'NEW', 'REPLACED'];
    for (const event of everyEventType) {
      for (const boot of relations) {
        const cell = `${host} ${event} ${boot}`;
        it(`${cell}: ${expected.get(cell)}`, () => {
          expect(row[meaningOf(event, boot)]).toBe(expected.get(cell));
        });
      }
    }
  }
});
