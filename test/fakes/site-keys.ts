// The keys of a site for tests: what signs provisioning tokens and verifies them, and what signs server tokens.

import { randomBytes } from 'node:crypto';
import type { SigningSource, SigningState } from '../../services/provisioner/enrolment/signing.js';
import { Secret } from '../../shared/secret.js';
import { newKsuid } from '../../shared/trust/ksuid.js';
import {
  mintProvisioningToken,
  type NewProvisioningToken,
} from '../../shared/trust/mint-provisioning-token.js';
import { createServerTokenIssuer } from '../../shared/trust/server-token.js';
import { parseSigningKey, signToken } from '../../shared/trust/signing-key.js';
import { TokenVerifier } from '../../shared/trust/token-verifier.js';
import { parseVerificationKey, type VerificationKey } from '../../shared/trust/verification-key.js';
import { issuedAt, issuerClaims, publicOf } from './organization.js';

export class SiteKeys {
  /** Hex. */
  readonly seed = randomBytes(32).toString('hex');
  /** Hex. */
  readonly publicKey = publicOf(this.seed);
  readonly verificationKey: VerificationKey = parseVerificationKey(this.publicKey);

  /** @returns a provisioning token of the site, of that moment in Unix seconds */
  token(now: number, wish: Partial<NewProvisioningToken> = {}): Promise<string> {
    const token = { secret: new Secret('s3cret'), ...wish };
    return mintProvisioningToken(token, parseSigningKey(this.seed), Math.floor(now));
  }

  /** @returns the token that this site, as an organisation, gives to the holder of another key (its seed, hex) */
  signingToken(
    seed: string,
    wish: { readonly expiresAt: number; readonly purpose?: string },
  ): Promise<string> {
    const { expiresAt: exp, purpose = 'choria_client_id' } = wish;
    const claims = issuerClaims(this.seed, seed, newKsuid(issuedAt));
    return signToken({ ...claims, purpose, exp }, parseSigningKey(this.seed));
  }

  verifier(): TokenVerifier {
    return new TokenVerifier(async () => this.verificationKey, 10);
  }

  /** Signs server tokens with the site's own key. */
  signing(now: number): FakeSigning {
    return new FakeSigning({
      kind: 'USABLE',
      issuer: createServerTokenIssuer(this.seed, undefined, now),
    });
  }
}

/** Signing credentials that are as a test says. */
export class FakeSigning implements SigningSource {
  state: SigningState;
  asked = 0;

  constructor(state: SigningState) {
    this.state = state;
  }

  async current(): Promise<SigningState> {
    this.asked += 1;
    return this.state;
  }
}
