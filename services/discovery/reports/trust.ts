// Whether a report may be believed: that it was signed by the boot that it comes with, and that it came with a
// provisioning token of the site (design, section 4). What the report says is not looked at here.

import type { Clock } from '../../../shared/clock.js';
import { ReportVerifier } from '../../../shared/trust/report-envelope.js';
import type { TokenVerifier } from '../../../shared/trust/token-verifier.js';
import { TrustError } from '../../../shared/trust/trust-error.js';
import type { Refused } from '../nodes/announcement.js';

/** What a node sent, and the values of the `authorization` that came with it. */
export interface Envelope {
  readonly report: Uint8Array;
  /** DER; empty without one. */
  readonly certificate: Uint8Array;
  readonly signature: Uint8Array;
  readonly authorization: readonly string[];
}

export type Trusted =
  | {
      readonly kind: 'TRUSTED';
      /** Hex SHA-256 of the certificate (DER); empty without one. */
      readonly certificateSha256: string;
    }
  | Refused;

export interface ReportTrustOptions {
  readonly clock: Clock;
  /** Whether a report without a certificate is refused. One that has a certificate is verified in any case. */
  readonly certificateNeeded: boolean;
  /** Undefined where tokens are not verified. */
  readonly tokens: Pick<TokenVerifier, 'verify'> | undefined;
}

/** Certificates whose keys are kept: reading one takes four times as long as verifying a signature. */
const keptKeys = 20_000;

export class ReportTrust {
  readonly #options: ReportTrustOptions;
  readonly #signatures = new ReportVerifier(keptKeys);

  constructor(options: ReportTrustOptions) {
    this.#options = options;
  }

  async check(envelope: Envelope): Promise<Trusted> {
    try {
      const certificateSha256 = this.#signedBy(envelope);
      await this.#checkToken(envelope.authorization);
      return { kind: 'TRUSTED', certificateSha256 };
    } catch (error) {
      if (error instanceof RefusedError) return error.refused;
      throw error;
    }
  }

  #signedBy({ report, certificate, signature }: Envelope): string {
    if (certificate.length === 0 && signature.length === 0) {
      if (!this.#options.certificateNeeded) return '';
      throw new RefusedError('SIGNATURE_INVALID', unsigned);
    }
    try {
      return this.#signatures.verify(report, certificate, signature);
    } catch (error) {
      if (error instanceof TrustError) throw new RefusedError('SIGNATURE_INVALID', error.message);
      throw error;
    }
  }

  async #checkToken(authorization: readonly string[]): Promise<void> {
    const { clock, tokens } = this.#options;
    if (tokens === undefined) return;
    try {
      await tokens.verify(bearerOf(authorization), clock.now() / 1000);
    } catch (error) {
      if (error instanceof TrustError) throw new RefusedError('TOKEN_INVALID', error.message);
      throw error;
    }
  }
}

const unsigned =
  'tls.mode of discovery is required: a report must come with the certificate of its boot and be signed by its key';

function bearerOf(authorization: readonly string[]): string {
  const [only, ...more] = authorization;
  const token = /^bearer +(\S+)$/i.exec(only ?? '')?.[1];
  if (token !== undefined && more.length === 0) return token;
  throw new RefusedError(
    'TOKEN_INVALID',
    only === undefined
      ? 'the report came without a provisioning token, which discovery demands (jwt_verify_cert)'
      : 'the authorization must be one: the word Bearer and a provisioning token',
  );
}

class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refused: Refused;

  constructor(reason: 'SIGNATURE_INVALID' | 'TOKEN_INVALID', message: string) {
    super(message);
    this.refused = { kind: 'REFUSED', reason, message };
  }
}
