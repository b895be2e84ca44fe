// What follows from the helper's reply, without doing any of it (design, section 6, rows 6 to 9, and section 9).
// The steps do it.

import type { Secret } from '../../../shared/secret.js';
import { clip } from '../../../shared/text.js';
import type { ServerTokenClaims } from '../../../shared/trust/server-token.js';
import { TrustError } from '../../../shared/trust/trust-error.js';
import { type ExpiryRule, serverClaimsOf } from '../enrolment/server-claims.js';
import type { HelperReply } from '../helper/helper.js';
import type { EncryptedKey } from './configuration.js';
import type { Outcome } from './outcome.js';
import { isSameRelease } from './release-version.js';

export interface CredentialsContext {
  readonly identity: string;
  readonly features: { readonly jwt: boolean; readonly ed25519: boolean };
  /** Hex ed25519 public key of the node; undefined where it made none. */
  readonly publicKey: string | undefined;
  /** Encrypts a private key for this node, throwing TrustError; undefined where there was no key exchange. */
  readonly encryptKey: ((key: Secret) => EncryptedKey) | undefined;
  /** Unix seconds. */
  readonly now: number;
  /** Milliseconds. */
  readonly serverJwtValidityMs: number;
}

export interface UpgradeContext {
  /** From the inventory; an empty version is an unknown one. */
  readonly node: { readonly version: string; readonly upgradable: boolean };
  readonly upgradesRepository: string | undefined;
  /** The versions from which the last upgrades in a row of the node started. */
  readonly upgradedFrom: readonly string[];
}

export interface DecisionContext extends CredentialsContext, UpgradeContext {
  readonly features: CredentialsContext['features'] & { readonly upgrades: boolean };
  readonly upgradesOptional: boolean;
}

/** What the node is to be given beside its configuration. */
export interface Credentials {
  /** What its server token is to say; undefined where it gets none. */
  readonly server: { readonly claims: ServerTokenClaims; readonly expiryRule: ExpiryRule } | undefined;
  /** The helper's key; undefined where it gave none. */
  readonly key: EncryptedKey | undefined;
}

interface Deferral {
  readonly message: string;
  /** Milliseconds; undefined where the helper did not say. */
  readonly retryAfterMs: number | undefined;
}

export type Decision =
  | ({ readonly kind: 'DEFER' } & Deferral)
  /** An empty message: no reason was given. */
  | { readonly kind: 'SHUT_DOWN'; readonly message: string }
  | {
      readonly kind: 'UPGRADE';
      readonly target: string;
      readonly repository: string;
      readonly credentials: Credentials;
    }
  | {
      readonly kind: 'CONFIGURE';
      readonly credentials: Credentials;
      /** Why the upgrade that the helper wanted is left out, where it may be. */
      readonly upgradeRefused: string | undefined;
    }
  | UpgradeFailure
  | { readonly kind: 'FAILED'; readonly reason: DecisionFailure; readonly message: string };

/** Why the node is not asked to change to the release that the helper wants. */
export type UpgradeFailure = Extract<Outcome, { kind: 'UPGRADE_FAILED' }>;

/** Why credentials cannot be made. */
export interface CredentialsRefusal {
  readonly kind: 'FAILED';
  readonly reason: 'KEY_INVALID' | 'SERVER_CLAIMS_EXPIRED';
  readonly message: string;
}

interface ConfigurationRefusal {
  readonly kind: 'FAILED';
  readonly reason: 'EMPTY_CONFIGURATION';
  readonly message: string;
}

const longestReasonBytes = 2_048;

export type DecisionFailure = CredentialsRefusal['reason'] | ConfigurationRefusal['reason'];

/** Says what follows, in the order of the sequence: what an earlier step refuses no later one is asked about. */
export function decide(reply: HelperReply, context: DecisionContext): Decision {
  const deferral = deferralOf(reply);
  if (deferral !== undefined) return { kind: 'DEFER', ...deferral };
  if (reply.shutdown) return { kind: 'SHUT_DOWN', message: reasonGiven(reply) };
  const credentials = decideCredentials(reply, context);
  if ('kind' in credentials) return credentials;
  const upgrade = context.features.upgrades ? decideUpgrade(reply.upgrade, context) : none;
  if (upgrade.kind === 'UPGRADE') return { ...upgrade, credentials };
  if (upgrade.kind === 'UPGRADE_FAILED' && !context.upgradesOptional) return upgrade;
  const refusal = configurationRefusal(reply);
  if (refusal !== undefined) return refusal;
  return {
    kind: 'CONFIGURE',
    credentials,
    upgradeRefused: upgrade.kind === 'UPGRADE_FAILED' ? upgrade.message : undefined,
  };
}

/** @returns the helper's own words, of which logs and events need no more than some; empty where it gave none */
export function reasonGiven({ msg }: HelperReply): string {
  return clip(msg, longestReasonBytes);
}

/** What the helper says of asking it later, which beats all else; undefined where it does not want that. */
export function deferralOf(reply: HelperReply): Deferral | undefined {
  if (!reply.defer) return undefined;
  const message = reasonGiven(reply) || 'the helper deferred the node';
  return { message, retryAfterMs: reply.retryAfterMs };
}

/** Says why no node can be configured so; undefined where one may be. */
export function configurationRefusal({ configuration }: HelperReply): ConfigurationRefusal | undefined {
  if (configuration.size > 0) return undefined;
  return { kind: 'FAILED', reason: 'EMPTY_CONFIGURATION', message: 'the helper gave no configuration' };
}

/** Says what the node is to be given, or why it cannot be. */
export function decideCredentials(
  reply: HelperReply,
  context: CredentialsContext,
): Credentials | CredentialsRefusal {
  const { features, publicKey } = context;
  let server: Credentials['server'];
  if (features.ed25519) {
    if (publicKey === undefined) throw new Error('the public key of the node is not known yet');
    const result = serverClaimsOf(reply, { ...context, publicKey });
    if (result.kind === 'EXPIRED') {
      return { kind: 'FAILED', reason: 'SERVER_CLAIMS_EXPIRED', message: result.message };
    }
    server = result;
  }
  if (reply.key === undefined) return { server, key: undefined };
  if (context.encryptKey === undefined) {
    const why = features.jwt
      ? 'the node gave no key to exchange with'
      : 'without features.jwt nothing encrypts it';
    return { kind: 'FAILED', reason: 'KEY_INVALID', message: `the helper gave a key, and ${why}` };
  }
  try {
    return { server, key: context.encryptKey(reply.key) };
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    return {
      kind: 'FAILED',
      reason: 'KEY_INVALID',
      message: `the helper’s key cannot be used: ${error.message}`,
    };
  }
}

export type UpgradeDecision =
  | { readonly kind: 'NONE' }
  | { readonly kind: 'UPGRADE'; readonly target: string; readonly repository: string }
  | UpgradeFailure;

const none: UpgradeDecision = { kind: 'NONE' };

/** So many upgrades in a row that start from one version have changed nothing. */
const upgradesInLoop = 3;

/** So many in a row are a loop wherever they started: a node that is never where it should be would go on for ever. */
const mostUpgradesInRow = 16;

/**
 * The table of upgrades, in its order, up to the call to the node (design, section 9). An older release is as good a
 * target as a newer one.
 *
 * @param target empty where the helper wants none
 */
export function decideUpgrade(target: string, context: UpgradeContext): UpgradeDecision {
  const { node, upgradesRepository: repository, upgradedFrom } = context;
  if (target === '') return none;
  const problem = versionProblem(target);
  if (problem !== undefined) {
    const message = `what the helper gives as upgrade is no version: ${problem}`;
    return { kind: 'UPGRADE_FAILED', reason: 'UPGRADE_REFUSED', message };
  }
  if (isSameRelease(node.version, target)) return none;
  const failed = (reason: UpgradeFailure['reason'], why: string): UpgradeFailure => ({
    kind: 'UPGRADE_FAILED',
    reason,
    message: `the helper wants release ${target}, and ${why}`,
  });
  if (node.version === '') return failed('UPGRADE_REFUSED', 'the node did not say which one it has');
  if (!node.upgradable) return failed('UPGRADE_REFUSED', 'the node cannot upgrade itself');
  if (repository === undefined) return failed('UPGRADE_REFUSED', 'upgrades_repository is not set');
  const inVain = upgradedFrom.filter((version) => isSameRelease(version, node.version)).length;
  if (inVain >= upgradesInLoop) {
    const why = `the node is at ${node.version} again, from which ${inVain} upgrades in a row have started`;
    return failed('UPGRADE_LOOP', why);
  }
  if (upgradedFrom.length >= mostUpgradesInRow) {
    const why = `${upgradedFrom.length} upgrades in a row have not brought the node there`;
    return failed('UPGRADE_LOOP', why);
  }
  return { kind: 'UPGRADE', target, repository };
}

/** As long as that of an inventory. */
const longestVersion = 256;

/** What is no version may be anything, also a secret in the wrong place: it goes into no message. */
function versionProblem(text: string): string | undefined {
  if (text.length > longestVersion) return `it has ${text.length} characters, more than ${longestVersion}`;
  return /\p{Cc}/u.test(text) ? 'it has a control character' : undefined;
}
