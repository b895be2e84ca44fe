// Hex as it stands in files and tokens. Node's own decoder stops at the first odd digit without a word.

import { TrustError } from './trust-error.js';

/**
 * @param what how the value is called in the message
 * @param length bytes that it must have
 * @throws TrustError MALFORMED
 */
export function decodeHex(text: string, length: number, what: string): Buffer {
  if (text.length !== 2 * length || !/^[0-9a-fA-F]*$/.test(text)) {
    throw new TrustError('MALFORMED', `${what} must be ${2 * length} hex digits`);
  }
  return Buffer.from(text, 'hex');
}
