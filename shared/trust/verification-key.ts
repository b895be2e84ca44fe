// The public key that tokens are verified with, in each of its forms (design, section 8).

import type { KeyObject } from 'node:crypto';

/** Signature algorithms of tokens. */
export type TokenAlgorithm = 'EdDSA' | 'RS256' | 'RS384' | 'RS512';

export interface VerificationKey {
  readonly key: KeyObject;
  /** Fixed by the key, never by a token's header. */
  readonly algorithms: readonly TokenAlgorithm[];
}

/**
 * Reads a public key: PEM (SPKI, PKCS#1 or a certificate) of RSA from 2048 bits or of ed25519, or an ed25519
 * key as 64 hex digits. White space around it is let pass.
 *
 * @throws TrustError MALFORMED, KEY_UNSUITABLE
 */
export function parseVerificationKey(_text: string): VerificationKey {
  throw new Error('not yet');
}

/** The key that a setting names; files are read again when they change. */
export class VerificationKeySource {
  /**
   * @param setting an existing path to a file that holds a key, else the hex key itself
   * @param warn told when a changed file cannot be used; the last good key stays
   * @throws TrustError where neither is a usable key; the message says what to do
   */
  static async open(_setting: string, _warn: (message: string) => void): Promise<VerificationKeySource> {
    throw new Error('not yet');
  }

  /** The key as the file has it now. */
  current(): Promise<VerificationKey> {
    throw new Error('not yet');
  }
}
