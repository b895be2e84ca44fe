import { expect, it } from 'vitest';
import { RecordingSink } from '../../../test/fakes/recording-sink.js';
import type { ProvisioningEvent } from './event.js';
import { FanOut } from './fan-out.js';

const event: ProvisioningEvent = { type: 'PAUSED', by: '', message: '' };

it('an event reaches all who take events, whatever one of them throws', () => {
  const failures: unknown[] = [];
  const fanOut = new FanOut((error, failed) => failures.push([error, failed]));
  const [first, last] = [new RecordingSink(), new RecordingSink()];
  const broken = new Error('full');
  fanOut.add(first);
  fanOut.add({
    publish: () => {
      throw broken;
    },
  });
  fanOut.add(last);
  fanOut.publish(event);
  expect([first.events, last.events]).toEqual([[event], [event]]);
  expect(failures).toEqual([[broken, event]]);
});
