// ListEvents: the log page by page. A token names the log and the place in it, so that a page of another log is not
// taken for the next one.

import { status } from '@grpc/grpc-js';
import { z } from 'zod';
import type { ListEventsRequest } from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { Turns } from '../../../shared/turns.js';
import { firstPlace, list, type Place } from '../events/watch/listing.js';
import type { EventLogReader, Order } from '../events/watch/log-reader.js';
import { checked, invalid } from './arguments.js';
import { encodePage } from './encode-events.js';
import { filterSchema } from './event-arguments.js';
import { pageSizeArgument } from './page-size-argument.js';

const requestSchema = z.object({
  pageSize: pageSizeArgument,
  pageToken: z.string(),
  filter: filterSchema,
  newestFirst: z.boolean().transform((newest): Order => (newest ? 'NEWEST_FIRST' : 'OLDEST_FIRST')),
});

/**
 * @returns a serialised ListEventsResponse
 * @throws RpcError INVALID_ARGUMENT, FAILED_PRECONDITION; the signal's reason
 */
export async function listEvents(
  { log, turns }: { readonly log: EventLogReader; readonly turns: Turns },
  request: ListEventsRequest,
  signal: AbortSignal,
): Promise<Buffer> {
  const { pageSize: size, pageToken, filter, newestFirst: order } = checked(requestSchema, request);
  const place = pageToken === '' ? firstPlace(log, order) : placeOf(pageToken, log.logId, order);
  const { events, gaps, next } = await list({ log, turns, filter, place, size, signal });
  const nextPageToken = next === undefined ? '' : tokenOf(log.logId, next);
  return encodePage({ logId: log.logId, events, gaps, nextPageToken });
}

const tokenPattern = /^events (?<logId>\S+) (?<order>\w+) (?<at>\d{1,15}) (?<oldest>\d{1,15})$/;

function tokenOf(logId: string, { order, at, oldest }: Place): string {
  return Buffer.from(`events ${logId} ${order} ${at} ${oldest}`).toString('base64url');
}

function placeOf(token: string, logId: string, order: Order): Place {
  const parts = tokenPattern.exec(Buffer.from(token, 'base64url').toString())?.groups;
  if (parts === undefined) throw refused('is none that ListEvents gave');
  if (parts.logId !== logId) {
    const message = 'page_token: is of a log that is no more: list from the first page';
    throw new RpcError(status.FAILED_PRECONDITION, message, { reason: 'LOG_REPLACED' });
  }
  if (parts.order !== order)
    throw refused('is of a listing in the other order: leave newest_first as it was');
  return { order, at: Number(parts.at), oldest: Number(parts.oldest) };
}

function refused(description: string): RpcError {
  return invalid([{ field: 'page_token', description }]);
}
