// Places in a log, as the command line has them: LOG_ID:SEQUENCE.

import { InvalidArgumentError } from 'commander';
import type { LogPosition } from '../../shared/gen/slipway/provisioner/v1/events.js';

/** The greatest that the contract has room for. */
const greatest = 2n ** 63n - 1n;

export function parsePosition(text: string): LogPosition {
  const [, logId = '', digits = ''] = /^([0-9a-fA-F-]{36}):(\d{1,19})$/.exec(text.trim()) ?? [];
  const sequence = BigInt(digits === '' ? -1 : digits);
  if (sequence >= 0n && sequence <= greatest) return { logId: logId.toLowerCase(), sequence };
  throw new InvalidArgumentError('Expected LOG_ID:SEQUENCE, as the end of a watch prints it.');
}

export function formatPosition({ logId, sequence }: LogPosition): string {
  return `${logId}:${sequence}`;
}
