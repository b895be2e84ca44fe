// The key that nodes' provisioning tokens are verified with, as it is configured.

import type { Clock } from '../../../shared/clock.js';
import { ConfigError } from '../../../shared/config/config-error.js';
import type { Logger } from '../../../shared/logger.js';
import { TokenVerifier } from '../../../shared/trust/token-verifier.js';
import { TrustError } from '../../../shared/trust/trust-error.js';
import { VerificationKeySource } from '../../../shared/trust/verification-key-source.js';

/** Tokens that are remembered: a fleet shares one, or a few. */
const keptTokens = 10_000;

/**
 * Opens what `jwt_verify_cert` names; a file that changes is read again within a second.
 *
 * @returns undefined where tokens are not verified
 * @throws ConfigError where it is no key to verify with
 */
export async function openTokens(
  setting: string | undefined,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<TokenVerifier | undefined> {
  if (setting === undefined) return undefined;
  try {
    const warn = (message: string) => log.warn(`jwt_verify_cert: ${message}`);
    const source = await VerificationKeySource.open(setting, { clock, warn });
    return new TokenVerifier(() => source.current(), keptTokens);
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    const problem = { path: 'jwt_verify_cert', message: error.message };
    throw new ConfigError('the configuration of discovery', [problem]);
  }
}
