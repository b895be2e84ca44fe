// Verifies provisioning tokens that come again and again: a fleet shares one, and shows it with every report.

import { createHash } from 'node:crypto';
import { checkTimes } from './claims.js';
import { type ProvisioningClaims, verifyProvisioningToken } from './provisioning-token.js';
import type { VerificationKey } from './verification-key.js';

/** Remembers which tokens were good under the key as it is; when they are valid is looked at every time. */
export class TokenVerifier {
  readonly #currentKey: () => Promise<VerificationKey>;
  readonly #capacity: number;
  readonly #good = new Map<string, ProvisioningClaims>();
  #goodUnder: VerificationKey | undefined;

  /** @param capacity how many tokens are remembered */
  constructor(currentKey: () => Promise<VerificationKey>, capacity: number) {
    this.#currentKey = currentKey;
    this.#capacity = capacity;
  }

  /**
   * As {@link verifyProvisioningToken}, with the key as it is now.
   *
   * @param now Unix seconds
   * @throws TrustError
   */
  async verify(token: string, now: number): Promise<ProvisioningClaims> {
    const key = await this.#currentKey();
    if (key !== this.#goodUnder) {
      this.#good.clear();
      this.#goodUnder = key;
    }
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#good.get(digest);
    if (known !== undefined) {
      checkTimes(known, now);
      return known;
    }
    const claims = await verifyProvisioningToken(token, key, now);
    // Meanwhile the key may have become another one.
    if (key === this.#goodUnder) this.#remember(digest, claims);
    return claims;
  }

  #remember(digest: string, claims: ProvisioningClaims): void {
    this.#good.set(digest, claims);
    const [oldest] = this.#good.keys();
    if (this.#good.size > this.#capacity && oldest !== undefined) this.#good.delete(oldest);
  }
}
