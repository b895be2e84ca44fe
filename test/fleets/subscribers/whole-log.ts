// The log as ListEvents gives it.

import type {
  Event,
  Gap,
  ListEventsResponse,
  ProvisioningEventServiceClient,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { callUnary } from '../../../shared/grpc/call.js';

export interface WholeLog {
  readonly logId: string;
  readonly events: readonly Event[];
  readonly gaps: readonly Gap[];
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
