// The log as ListEvents gives it.

import { credentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { Stack } from '../../../cli/launch/stack.js';
import {
  type Event,
  type Gap,
  type ListEventsResponse,
  ProvisioningEventServiceClient,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../../shared/grpc/channel.js';

export interface WholeLog {
  readonly logId: string;
  readonly events: readonly Event[];
  readonly gaps: readonly Gap[];
}

/** A client of a stack without TLS, until the test is over. */
export function eventsOf(stack: Stack): ProvisioningEventServiceClient {
  const address = `127.0.0.1:${stack.ports.provisioner}`;
  const client = new ProvisioningEventServiceClient(
    address,
    credentials.createInsecure(),
    serviceChannelOptions,
  );
  onTestFinished(() => client.close());
  return client;
}

/** Reads everything that the log has, oldest first. */
export async function wholeLog(client: ProvisioningEventServiceClient): Promise<WholeLog> {
  const events: Event[] = [];
  const gaps: Gap[] = [];
  let pageToken = '';
  for (;;) {
    const page: ListEventsResponse = await callUnary(
      client.listEvents.bind(client),
      { pageSize: 1000, pageToken, filter: undefined, newestFirst: false },
      { timeoutMs: 30_000 },
    );
    events.push(...page.events);
    gaps.push(...page.gaps);
    pageToken = page.nextPageToken;
    if (pageToken === '') return { logId: page.logId, events, gaps };
  }
}
