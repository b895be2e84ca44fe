// The proof that a caller knows a node's provisioning secret, given without giving the secret away and bound
// to the channel, so that it cannot be relayed (design, section 3).

import { createHmac, timingSafeEqual } from 'node:crypto';

export interface ProofInput {
  /** The provisioning secret. */
  readonly secret: string;
  readonly identity: string;
  readonly runId: string;
  /** 32 bytes, from Identify. */
  readonly challenge: Uint8Array;
  /** Hex SHA-256 of the node's TLS certificate (DER) as the caller sees it; empty without TLS. */
  readonly certificateSha256: string;
}

/** @returns the proof, 64 lower case hex digits */
export function proof(input: ProofInput): string {
  return mac(input).toString('hex');
}

/** Compares in constant time; a proof in upper case is as good, one that is no hex never fits. */
export function verifyProof(given: string, input: ProofInput): boolean {
  const expected = mac(input);
  if (!/^[0-9a-fA-F]{64}$/.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), expected);
}

function mac(input: ProofInput): Buffer {
  const lines = [
    'slipway/v1/caller',
    input.identity,
    input.runId,
    Buffer.from(input.challenge).toString('hex'),
    input.certificateSha256.toLowerCase(),
  ];
  return createHmac('sha256', input.secret).update(lines.join('\n'), 'utf8').digest();
}
