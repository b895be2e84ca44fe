// The one error of calls, both ways: handlers throw it, callers catch it. How it is written to and read from
// grpc-status-details-bin is status-details.ts's matter.

import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { clip } from '../text.js';
import { decodeDetails, encodeDetails } from './status-details.js';

export type StatusName = keyof typeof status;

/** How much of a message goes to, or is taken from, a peer: bytes. */
const longestMessage = 1024;

const detailsKey = 'grpc-status-details-bin';

/** One argument that was refused, and why. */
export interface FieldViolation {
  /** Name of the field in the request, in proto spelling. */
  readonly field: string;
  readonly description: string;
}

export interface RpcErrorOptions {
  /** Stable name of what was wrong; goes into google.rpc.ErrorInfo of the domain `slipway`. */
  readonly reason?: string;
  /** Facts beside the reason. They reach the peer: no secrets. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Milliseconds after which a retry may succeed; goes into google.rpc.RetryInfo. */
  readonly retryAfterMs?: number | undefined;
  /** Go into google.rpc.BadRequest. */
  readonly violations?: readonly FieldViolation[];
  readonly neverConnected?: boolean;
  /** Stays here: the peer never sees it. */
  readonly cause?: unknown;
}

/** A call that failed, with all that one side tells the other about it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: status;
  /** Stable name of what was wrong; empty where there is none. */
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds; undefined where the peer gave no RetryInfo. */
  readonly retryAfterMs: number | undefined;
  readonly violations: readonly FieldViolation[];
  /** Of calls: true where the request was certainly never sent, so that the call had no effect. */
  readonly neverConnected: boolean;

  constructor(code: status, message: string, options: RpcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = options.reason ?? '';
    this.metadata = options.metadata ?? {};
    this.retryAfterMs = options.retryAfterMs;
    this.violations = options.violations ?? [];
    this.neverConnected = options.neverConnected ?? false;
  }
}

/** @returns the name of a code: `UNAVAILABLE`; `UNKNOWN` where it is none of gRPC's */
export function statusName(code: number): StatusName {
  return isCode(code) ? (status[code] as StatusName) : 'UNKNOWN';
}

/**
 * Makes the status that a peer is told: an RpcError as it is, its texts cut; anything else becomes INTERNAL
 * "internal error", for what nobody planned is not for the peer to read.
 */
export function toStatus(error: unknown): StatusObject {
  if (!(error instanceof RpcError)) {
    return { code: status.INTERNAL, details: 'internal error', metadata: new Metadata() };
  }
  const code = isCode(error.code) && error.code !== status.OK ? error.code : status.INTERNAL;
  const message = clip(error.message, longestMessage);
  const metadata = new Metadata();
  const details = encodeDetails({ ...error, code, message });
  if (details !== undefined) metadata.set(detailsKey, details);
  return { code, details: message, metadata };
}

/** Reads what a failed call tells. Details that cannot be read are left out: a peer may send anything. */
export function fromServiceError(error: ServiceError): RpcError {
  const [bytes] = error.metadata?.get(detailsKey) ?? [];
  const details = Buffer.isBuffer(bytes) ? decodeDetails(bytes) : {};
  const code = isCode(error.code) && error.code !== status.OK ? error.code : status.UNKNOWN;
  return new RpcError(code, clip(error.details || error.message || statusName(code), longestMessage), {
    ...details,
    neverConnected: wasNeverSent(error),
    cause: error,
  });
}

function isCode(code: number): code is status {
  return Number.isInteger(code) && status[code] !== undefined;
}

const neverSent: Partial<Record<status, readonly RegExp[]>> = {
  [status.UNAVAILABLE]: [
    /^No connection established/,
    /^Name resolution failed for target /,
    /^Channel closed before call started/,
  ],
  [status.INTERNAL]: [/^Failed to start HTTP\/2 stream with error /],
  [status.DEADLINE_EXCEEDED]: [
    /^Deadline exceeded after .*,(?:Waiting for LB pick|waiting for (?:name resolution|metadata filters))$/,
  ],
};

/**
 * grpc-js says only in words that a request never left. Those words count where the library itself made the
 * status (it then has no metadata, while a peer's has at least a content type) and no earlier attempt went
 * out under the same call.
 */
function wasNeverSent(error: ServiceError): boolean {
  if (Object.keys(error.metadata?.getMap() ?? {}).length > 0) return false;
  if (/previous attempts|remote_addr=/.test(error.details)) return false;
  return (neverSent[error.code] ?? []).some((words) => words.test(error.details));
}
