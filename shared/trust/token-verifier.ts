// Verifies provisioning tokens that come again and again: a fleet shares one, and shows it with every report.

import { createHash } from 'node:crypto';
import { checkTimes } from './claims.js';
import { type ProvisioningClaims, verifyProvisioningToken } from './provisioning-token.js';
import { isSignedBySeed } from './signed-by-seed.js';
import { TrustError } from './trust-error.js';
import type { VerificationKey } from './verification-key.js';

/** Of the tokens that a key did not sign, how many are looked at for whether that key is a seed: strangers send some. */
const looksForSeed = 20;

/** Remembers which tokens were good under the key as it is; when they are valid is looked at every time. */
export class TokenVerifier {
  readonly #currentKey: () => Promise<VerificationKey>;
  readonly #capacity: number;
  readonly #good = new Map<string, ProvisioningClaims>();
  #goodUnder: VerificationKey | undefined;
  /** Of the key as it is: that it turned out to be the signer's seed, and how many more tokens may show that. */
  #isSeed = false;
  #looksLeft = looksForSeed;

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
      this.#isSeed = false;
      this.#looksLeft = looksForSeed;
    }
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#good.get(digest);
    if (known !== undefined) {
      checkTimes(known, now);
      return known;
    }
    const claims = await verifyProvisioningToken(token, key, now).catch(async (error: unknown) => {
      throw await this.#explained(error, token, key);
    });
    // Meanwhile the key may have become another one.
    if (key === this.#goodUnder) this.#remember(digest, claims);
    return claims;
  }

  /** The seed in the place of the public key passes for one, and would have everybody refused without a word of it. */
  async #explained(error: unknown, token: string, key: VerificationKey): Promise<unknown> {
    if (!(error instanceof TrustError) || error.fault !== 'SIGNATURE' || key !== this.#goodUnder)
      return error;
    if (!this.#isSeed && this.#looksLeft > 0) {
      this.#looksLeft--;
      const isSeed = await isSignedBySeed(token, key);
      if (isSeed && key === this.#goodUnder) this.#isSeed = true;
    }
    if (!this.#isSeed) return error;
    const why =
      'that key (jwt_verify_cert) is the seed of a signer, a private key; its public key belongs there';
    return new TrustError('SIGNATURE', `${error.message}: ${why}`, { cause: error });
  }

  #remember(digest: string, claims: ProvisioningClaims): void {
    this.#good.set(digest, claims);
    const [oldest] = this.#good.keys();
    if (this.#good.size > this.#capacity && oldest !== undefined) this.#good.delete(oldest);
  }
}
