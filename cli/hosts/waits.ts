// What a host waits for, in words. What can be done about it is in the provisioner's own message.

import { WaitCause } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';

const words: Readonly<Record<WaitCause, string>> = {
  [WaitCause.UNSPECIFIED]: 'something that is not known',
  [WaitCause.TURN]: 'its turn in the queue',
  [WaitCause.PAUSED]: 'the end of the pause',
  [WaitCause.NOT_LEADER]: 'this provisioner to become the leader',
  [WaitCause.BREAKER]: 'the helper to work again',
  [WaitCause.HOLD]: 'the end of its hold',
  [WaitCause.BACKOFF]: 'the end of its backing off',
  [WaitCause.DEFERRED]: 'the end of the time that was asked for',
  [WaitCause.SIGHTING]: 'its next sighting',
  [WaitCause.NODE]: 'the node',
  [WaitCause.HELPER_SLOT]: 'a free place to run the helper in',
  [WaitCause.HELPER]: 'the helper',
  [WaitCause.CREDENTIALS]: 'signing credentials that are usable',
  [WaitCause.CONFIRMATION]: 'the node to come up and say so',
  [WaitCause.UNRECOGNIZED]: 'something that this version does not know',
};

export function causeInWords(cause: WaitCause): string {
  return words[cause] ?? words[WaitCause.UNRECOGNIZED];
}
