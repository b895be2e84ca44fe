// What a node sends as a report: signed by the key of its boot, so that it speaks only for who holds that key
// (design, section 4).

import type { KeyObject } from 'node:crypto';

/** @returns lower case hex SHA-256 of a certificate in DER */
export function certificateSha256(_der: Uint8Array): string {
  throw new Error('not yet');
}

/** @returns signature over "slipway/v1/report\n" and the report */
export function signReport(_report: Uint8Array, _bootKey: KeyObject): Buffer {
  throw new Error('not yet');
}

/**
 * Verifies who sent a report.
 *
 * @param certificate DER of the boot certificate
 * @throws TrustError MALFORMED, KEY_UNSUITABLE, SIGNATURE
 */
export function verifyReport(_report: Uint8Array, _certificate: Uint8Array, _signature: Uint8Array): void {
  throw new Error('not yet');
}
