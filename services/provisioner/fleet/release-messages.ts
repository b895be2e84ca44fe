// Why a host is no longer known, in sentences for people. When to release one is decided elsewhere.

import type { ReleaseCause } from '../events/event.js';

export const releaseMessages: Readonly<Record<ReleaseCause, string>> = {
  HOLD_OVER: 'its hold is over; its next sighting admits it',
  RUN_FINISHED: 'its run has ended, and after such an end a host is not held; its next sighting admits it',
  GONE: 'the node has stopped, or was not heard of for as long as its lease',
  CONFIGURED: 'the node has come up configured',
  NOT_SIGHTED: 'it was to be queued again and was not sighted of late; its next sighting admits it',
  QUEUE_FULL:
    'it was to be queued again and the queue is full; a later sighting admits it when there is room',
  OPERATOR: 'an operator released it; its next sighting admits it',
};
