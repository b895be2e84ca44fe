// What the provisioner trusts and shows itself with: certificates, keys, tokens and secrets, opened before it starts,
// so that what cannot be used is told then, all of it at once (design, section 8).

import { readFile } from 'node:fs/promises';
import type { Clock } from '../../shared/clock.js';
import { ConfigError, type Problem } from '../../shared/config/config-error.js';
import type { Logger } from '../../shared/logger.js';
import { warnWhereAllMayRead } from '../../shared/open-to-all.js';
import type { Secret } from '../../shared/secret.js';
import { loadTls, type Tls } from '../../shared/tls/load-tls.js';
import { TokenVerifier } from '../../shared/trust/token-verifier.js';
import { TrustError } from '../../shared/trust/trust-error.js';
import { VerificationKeySource } from '../../shared/trust/verification-key-source.js';
import type { ProvisionerConfig } from './config.js';
import { defaultDenyPatterns, parseDenyList } from './enrolment/deny-list.js';
import { SigningFiles } from './enrolment/signing.js';
import type { CredentialName } from './metrics.js';
import type { Enrolment } from './run/run-context.js';
import { TokenFile } from './token-file.js';

export interface Trust {
  /** undefined where tls.mode is insecure. */
  readonly tls: Tls | undefined;
  /** Gives the provisioning secrets as they are now, newest first. */
  readonly tokens: () => readonly Secret[];
  readonly enrolment: Enrolment;
  /** What {@link Enrolment} signs with; undefined where it does not. */
  readonly signing: SigningFiles | undefined;
  /** Looks at no file any more. */
  close(): void;
}

/** What the problems are told to be of. */
const source = 'the configuration of provisioner';

export interface TrustOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Opens what the settings name.
 *
 * @throws ConfigError naming every setting whose file cannot be used, and what to do
 */
export async function openTrust(config: ProvisionerConfig, options: TrustOptions): Promise<Trust> {
  const problems: Problem[] = [];
  const [tls, tokens, signing] = await Promise.all([
    collecting(problems, loadTls(config.tls, { service: 'provisioner', ...options })),
    collecting(problems, openTokens(config, options)),
    collecting(problems, openSigning(config, options)),
  ]);
  if (problems.length > 0) {
    tls?.files.close();
    throw new ConfigError(source, problems);
  }
  signing?.watch();
  const file = config.token_file;
  if (file !== undefined) await warnWhereAllMayRead('token_file', file, options.log);
  const key = config.jwt_signing_key;
  if (signing && key !== undefined) await warnWhereAllMayRead('jwt_signing_key', key, options.log);
  const tokenFile = file === undefined ? undefined : new TokenFile(file, config.tokens, options);
  return {
    tls,
    tokens: () => tokenFile?.current ?? config.tokens,
    enrolment: {
      ...(tokens && { tokens }),
      ...(signing && { signing }),
      denyList: parseDenyList(config.cert_deny_list ?? defaultDenyPatterns),
      serverJwtValidityMs: config.server_jwt_validity,
    },
    signing,
    close: () => {
      tls?.files.close();
      signing?.close();
      tokenFile?.close();
    },
  };
}

/** @returns undefined where opening failed; its problems are with the others then */
async function collecting<T>(problems: Problem[], opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** A fleet has few tokens: each is verified once while the key stays. */
const rememberedTokens = 1_000;

async function openTokens(
  { features, jwt_verify_cert: setting }: ProvisionerConfig,
  { clock, log }: TrustOptions,
): Promise<TokenVerifier | undefined> {
  if (!features.jwt || setting === undefined) return undefined;
  try {
    const warn = (message: string) => log.warn(`jwt_verify_cert: ${message}`);
    const key = await VerificationKeySource.open(setting, { clock, warn });
    return new TokenVerifier(() => key.current(), rememberedTokens);
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    const problem = { path: 'jwt_verify_cert', message: error.message };
    throw new ConfigError(source, [problem], { cause: error });
  }
}

/** Its files are read anew for each node; whether they are good is looked at once here. */
async function openSigning(
  config: ProvisionerConfig,
  options: TrustOptions,
): Promise<SigningFiles | undefined> {
  const { features, jwt_signing_key: key, jwt_signing_token: token } = config;
  if (!features.ed25519 || key === undefined) return undefined;
  const files = new SigningFiles({ key, token }, options);
  // The key is looked at also by itself, so that a token that cannot be used does not hide what is wrong with it.
  const states = await Promise.all([
    new SigningFiles({ key, token: undefined }, options).look(),
    files.look(),
  ]);
  const problems = new Map<string, Problem>();
  for (const state of states) {
    if (state.kind !== 'UNUSABLE') continue;
    problems.set(state.setting, { path: state.setting, message: state.why });
  }
  const verification = config.jwt_verify_cert;
  if (problems.size === 0 && verification !== undefined && (await isSameText(key, verification))) {
    const message =
      `${key}: holds the same as jwt_verify_cert; here the private key belongs (of ed25519 in hex the seed), there ` +
      'the public key';
    problems.set('jwt_signing_key', { path: 'jwt_signing_key', message });
  }
  if (problems.size > 0) throw new ConfigError(source, [...problems.values()]);
  return files;
}

/** In hex a seed and a public key look alike; what the wrong one signs nobody can verify. */
async function isSameText(...settings: [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(
    settings.map(async (setting) => {
      const text = await readFile(setting, 'utf8').catch(() => setting);
      return text.trim().toLowerCase();
    }),
  );
  return one === other;
}

/**
 * @param now Unix milliseconds
 * @returns seconds until each of the credentials expires; without those that are not there, or never do
 */
export function secondsToExpiry(
  { tls, signing }: Pick<Trust, 'tls' | 'signing'>,
  now: number,
): Partial<Record<CredentialName, number>> {
  const seconds = now / 1000;
  return {
    ...(tls && { tls: tls.files.current.expiresAt / 1000 - seconds }),
    ...(signing?.expiresAt !== undefined && { signing_token: signing.expiresAt - seconds }),
  };
}
