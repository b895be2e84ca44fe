import { describe, expect, it } from 'vitest';
import { newRunId } from '../../../../shared/identity.js';
import { event, sampleEvents } from '../../../../test/fakes/provisioning-events.js';
import type { ProvisioningEvent } from '../event.js';
import { headerOf } from './header.js';
import { PastRuns } from './past-runs.js';
import { StoreError } from './store.js';

const runId = newRunId();
const { identity } = event('RUN_STARTED');

function found(...types: ('RUN_STARTED' | 'RUN_FINISHED' | 'NODE_CONFIRMED' | 'HOST_QUEUED')[]) {
  const events: ProvisioningEvent[] = types.map((type) => sampleEvents(identity, runId)[type]);
  const headers = events.map((one, index) => ({ at: index, header: headerOf(one) })).reverse();
  return new PastRuns({ newest: () => headers }).find(identity, runId);
}

describe('a run of an earlier life', () => {
  it('is known by its end', () => {
    expect(found('RUN_STARTED', 'RUN_FINISHED', 'HOST_QUEUED')).toEqual({
      confirmed: false,
      endedAt: 1,
      configurationDigest: 'ab'.repeat(32),
    });
  });

  it('is known to be confirmed, also where that was before its end', () => {
    expect(found('RUN_STARTED', 'RUN_FINISHED', 'NODE_CONFIRMED')).toEqual({ confirmed: true });
    expect(found('RUN_STARTED', 'NODE_CONFIRMED', 'RUN_FINISHED')).toEqual({ confirmed: true });
  });

  it('is not known without its end', () => {
    expect(found()).toBeUndefined();
    expect(found('RUN_STARTED')).toBeUndefined();
  });

  it('is not known where the log cannot be read', () => {
    const failing = {
      newest: () => {
        throw new StoreError('it is not open');
      },
    };
    expect(new PastRuns(failing).find(identity, runId)).toBeUndefined();
  });
});
