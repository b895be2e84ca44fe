// google.rpc.Status in grpc-status-details-bin: ErrorInfo, RetryInfo and BadRequest, small enough that no
// HTTP/2 peer chokes on them, and read with suspicion.

import type { Any } from '../gen/google/protobuf/any.js';
import { BadRequest, ErrorInfo, RetryInfo } from '../gen/google/rpc/error_details.js';
import { Status } from '../gen/google/rpc/status.js';
import { clip } from '../text.js';
import { fromDuration, toDuration } from '../wire/time.js';
import { errorDomain } from './reasons.js';

/** What the details of a status say. */
export interface Details {
  reason?: string;
  metadata?: Record<string, string>;
  retryAfterMs?: number;
  violations?: { field: string; description: string }[];
}

interface Source {
  readonly code: number;
  readonly message: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfterMs: number | undefined;
  readonly violations: readonly { readonly field: string; readonly description: string }[];
}

/** Details over about 70 kB break the connection; 4 KiB leaves other headers their room. */
const mostBytes = 4096;
/** Entries of a list or map that are sent or read. */
const mostEntries = 16;
/** Longest text that is sent, and read, in bytes; where all together are too many, the next is tried. */
const textLimits = [1024, 256, 64, 16] as const;

const typePrefix = 'type.googleapis.com/';

/** @returns at most 4 KiB, texts cut where they must be; undefined where there is nothing to say */
export function encodeDetails(source: Source): Buffer | undefined {
  if (source.reason === '' && source.retryAfterMs === undefined && source.violations.length === 0) {
    return undefined;
  }
  for (const limit of textLimits) {
    const bytes = encodeWithin(source, limit);
    if (bytes.length <= mostBytes) return Buffer.from(bytes);
  }
  return undefined;
}

function encodeWithin(source: Source, limit: number): Uint8Array {
  const details: Any[] = [];
  if (source.reason !== '') {
    const metadata: Record<string, string> = {};
    for (const [key, value] of Object.entries(source.metadata).slice(0, mostEntries)) {
      metadata[clip(key, limit)] = clip(value, limit);
    }
    const info = { reason: clip(source.reason, 63), domain: errorDomain, metadata };
    details.push(pack('google.rpc.ErrorInfo', ErrorInfo.encode(info).finish()));
  }
  if (source.retryAfterMs !== undefined) {
    const retryDelay = toDuration(Math.max(source.retryAfterMs, 0));
    details.push(pack('google.rpc.RetryInfo', RetryInfo.encode({ retryDelay }).finish()));
  }
  if (source.violations.length > 0) {
    const fieldViolations = source.violations.slice(0, mostEntries).map(({ field, description }) => ({
      field: clip(field, limit),
      description: clip(description, limit),
    }));
    details.push(pack('google.rpc.BadRequest', BadRequest.encode({ fieldViolations }).finish()));
  }
  return Status.encode({ code: source.code, message: clip(source.message, limit), details }).finish();
}

function pack(type: string, bytes: Uint8Array): Any {
  return { typeUrl: `${typePrefix}${type}`, value: Buffer.from(bytes) };
}

/** Reads the details that are known; what is malformed or of another domain is left out. */
export function decodeDetails(bytes: Buffer): Details {
  const found: Details = {};
  for (const any of attempt(() => Status.decode(bytes).details) ?? []) {
    attempt(() => readDetail(any, found));
  }
  return found;
}

function readDetail(any: Any, found: Details): void {
  switch (any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1)) {
    case 'google.rpc.ErrorInfo': {
      const info = ErrorInfo.decode(any.value);
      if (info.domain !== errorDomain) return;
      found.reason = clip(info.reason, 63);
      found.metadata = Object.fromEntries(
        Object.entries(info.metadata)
          .slice(0, mostEntries)
          .map(([key, value]) => [clip(key, textLimits[0]), clip(value, textLimits[0])]),
      );
      return;
    }
    case 'google.rpc.RetryInfo':
      found.retryAfterMs = Math.max(fromDuration(RetryInfo.decode(any.value).retryDelay), 0);
      return;
    case 'google.rpc.BadRequest':
      found.violations = BadRequest.decode(any.value)
        .fieldViolations.slice(0, mostEntries)
        .map(({ field, description }) => ({
          field: clip(field, textLimits[0]),
          description: clip(description, textLimits[0]),
        }));
      return;
    default:
  }
}

/** Malformed bytes from a peer are no reason to fail: they say nothing. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
