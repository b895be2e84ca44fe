// Somebody who hears a stack's events from the oldest on, and sees to it that no number is missing or told twice.

import { onTestFinished } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import type { GapReason, WatchEventsResponse } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { eventsOf } from './events-client.js';

/** Numbers that a subscriber was told not to have, first and last included. */
export interface HeardGap {
  readonly first: number;
  readonly last: number;
  readonly reason: GapReason;
}

export interface Heard {
  /** The last number that was told, of an event or a gap. */
  readonly last: number;
  readonly gaps: readonly HeardGap[];
  /** What was wrong first; empty where nothing was. */
  readonly fault: string;
}

/** Hears of all events of a stack without TLS until the test is over, or the stream ends. */
export function hearEvents(stack: Stack): Heard {
  const gaps: HeardGap[] = [];
  const heard = { last: 0, gaps, fault: '' };
  const pass = (first: number, last: number) => {
    if (first !== heard.last + 1) heard.fault ||= `${first} came after ${heard.last}`;
    heard.last = last;
  };
  const stream = eventsOf(stack).watchEvents({ start: { $case: 'earliest', value: {} }, filter: undefined });
  onTestFinished(() => stream.cancel());
  stream.on('error', (error) => {
    heard.fault ||= `it ended: ${error.message}`;
  });
  stream.on('data', ({ message }: WatchEventsResponse) => {
    if (message?.$case === 'events') {
      for (const { sequence } of message.value.events) pass(Number(sequence), Number(sequence));
    } else if (message?.$case === 'gap') {
      const gap = { ...message.value, first: Number(message.value.first), last: Number(message.value.last) };
      gaps.push(gap);
      pass(gap.first, gap.last);
    }
  });
  return heard;
}
