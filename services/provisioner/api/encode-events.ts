// Messages with events in them, from events that are serialised already: nobody decodes them on the way. What the
// tags below say, events.proto says: WatchEventsResponse.events, EventBatch and ListEventsResponse.

import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  GapReason,
  ListEventsResponse,
  WatchEventsResponse,
  type Gap as WireGap,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import type { Missing } from '../events/watch/passage.js';
import type { Position, Replaced } from '../events/watch/start.js';

const lengthDelimited = 2;
const tags = {
  response: { events: tag(1) },
  batch: { logId: tag(1), events: tag(2) },
  page: { events: tag(2) },
} as const;

/** @returns a serialised WatchEventsResponse */
export function encodeBatch(logId: string, events: readonly Buffer[]): Buffer {
  const writer = new BinaryWriter();
  writer.uint32(tags.response.events).fork().uint32(tags.batch.logId).string(logId);
  for (const event of events) writer.uint32(tags.batch.events).bytes(event);
  return Buffer.from(writer.join().finish());
}

/** @returns a serialised WatchEventsResponse */
export function encodeBookmark({ logId, sequence }: Position): Buffer {
  const position = { logId, sequence: BigInt(sequence) };
  return encodeResponse({ message: { $case: 'bookmark', value: { position } } });
}

/** @returns a serialised WatchEventsResponse */
export function encodeGap(logId: string, gap: Missing | Replaced): Buffer {
  return encodeResponse({ message: { $case: 'gap', value: toGap(logId, gap) } });
}

/** @returns a serialised ListEventsResponse */
export function encodePage(page: {
  readonly logId: string;
  readonly events: readonly Buffer[];
  readonly gaps: readonly Missing[];
  readonly nextPageToken: string;
}): Buffer {
  const { logId, events, gaps, nextPageToken } = page;
  const writer = new BinaryWriter();
  const wireGaps = gaps.map((gap) => toGap(logId, gap));
  ListEventsResponse.encode({ logId, events: [], gaps: wireGaps, nextPageToken }, writer);
  for (const event of events) writer.uint32(tags.page.events).bytes(event);
  return Buffer.from(writer.finish());
}

function encodeResponse(response: WatchEventsResponse): Buffer {
  return Buffer.from(WatchEventsResponse.encode(response).finish());
}

/** @param logId of the log that is served; a replaced one is named by the gap itself */
function toGap(logId: string, gap: Missing | Replaced): WireGap {
  return {
    logId: gap.reason === 'LOG_REPLACED' ? gap.logId : logId,
    first: BigInt(gap.first),
    last: BigInt(gap.last),
    reason: GapReason[gap.reason],
  };
}

function tag(field: number): number {
  return (field << 3) | lengthDelimited;
}
