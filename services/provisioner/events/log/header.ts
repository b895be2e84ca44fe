// What filters look at, of an event.

import type { ProvisioningEvent } from '../event.js';
import type { EventHeader } from '../watch/log-reader.js';

export function headerOf(event: ProvisioningEvent): EventHeader {
  return {
    type: event.type,
    identity: 'identity' in event ? event.identity : '',
    runId: 'runId' in event ? event.runId : '',
    ...(event.type === 'RUN_FINISHED'
      ? { outcome: event.outcome, configurationDigest: event.configurationDigest }
      : { outcome: '' }),
  };
}
