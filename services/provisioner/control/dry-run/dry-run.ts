// Runs the helper without a node and says what would follow (design, section 10, TestHelper). Nothing is called,
// counted or changed.

import type { Clock } from '../../../../shared/clock.js';
import { type Identity, parseIdentity } from '../../../../shared/identity.js';
import { newX25519Pair } from '../../../../shared/trust/key-transfer.js';
import { unsignedServerClaims } from '../../../../shared/trust/server-token.js';
import type { SigningSource } from '../../enrolment/signing.js';
import type { HelperReply } from '../../helper/helper.js';
import { encodeInput } from '../../helper/input.js';
import type { HelperTrial, HelperTrials } from '../../helper/trial.js';
import type { DecisionContext } from '../../run/decision.js';
import type { RunFeatures } from '../../run/run-context.js';
import { encryptFor } from '../../run/steps/make-credentials.js';
import { ControlError } from '../control-error.js';
import { type Foretold, foretell } from './foretell.js';
import { type DescribedNode, readInput } from './input.js';
import type { LastInputs } from './last-inputs.js';
import { oddities } from './oddities.js';
import type { Room } from './room.js';

export interface DryRunOptions {
  readonly trials: HelperTrials;
  /** For what is given to the helper. */
  readonly room: Room;
  readonly inputs: Pick<LastInputs, 'of'>;
  /** The versions from which the last upgrades in a row of a node started. */
  readonly upgradedFrom: (identity: Identity) => readonly string[];
  readonly features: RunFeatures;
  readonly upgradesRepository: string | undefined;
  readonly upgradesOptional: boolean;
  /** Milliseconds. */
  readonly serverJwtValidityMs: number;
  /** undefined where the site signs nothing. */
  readonly signing: SigningSource | undefined;
  readonly clock: Clock;
}

/** What the helper is given. */
export type DryRunInput =
  /** What it was last asked about this node. */
  { readonly kind: 'HOST'; readonly identity: Identity } | { readonly kind: 'GIVEN'; readonly json: string };

export interface DryRun extends Pick<Foretold, 'outcome' | 'reason' | 'message'> {
  readonly inputJson: string;
  readonly trial: HelperTrial;
  /** undefined where it was not usable. */
  readonly reply: HelperReply | undefined;
  /** JSON; empty where no server token would be made. */
  readonly serverClaimsJson: string;
  readonly currentVersion: string;
  /** Sentences for people. */
  readonly warnings: readonly string[];
}

/**
 * Runs the helper as it would be run for a node.
 *
 * @throws ControlError where nothing is known of the host, or too many wait for their turn; InputError where the input
 * is no JSON object; the signal's reason
 */
export async function dryRun(
  options: DryRunOptions,
  input: DryRunInput,
  signal: AbortSignal,
): Promise<DryRun> {
  const inputJson = input.kind === 'GIVEN' ? input.json : inputOf(options.inputs, input.identity);
  return options.room.hold(Buffer.byteLength(inputJson), () => dryRunOn(inputJson, options, signal));
}

async function dryRunOn(inputJson: string, options: DryRunOptions, signal: AbortSignal): Promise<DryRun> {
  const node = readInput(inputJson);
  const asked = parseIdentity(node.identity);
  const trial = await options.trials.tryOut(Buffer.from(inputJson), signal, asked);
  const common = { inputJson, trial, currentVersion: node.version };
  const { verdict } = trial;
  if (verdict.kind === 'FAILED') {
    const { reason, message } = verdict;
    return {
      ...common,
      outcome: 'FAILED',
      reason,
      message,
      reply: undefined,
      serverClaimsJson: '',
      warnings: [],
    };
  }
  const { reply, text } = verdict;
  const { outcome, reason, message, serverClaims, upgradeRefused } = foretell(
    reply,
    contextOf(options, node),
  );
  const warnings = oddities(text, reply, { ...options, ...node });
  if (upgradeRefused !== undefined) warnings.push(`upgrade: would be left out: ${upgradeRefused}`);
  let serverClaimsJson = '';
  if (serverClaims !== undefined) {
    const issuer = await issuerOf(options.signing);
    if (issuer.why !== undefined) warnings.push(`a run would wait for signing credentials: ${issuer.why}`);
    if (node.publicKey === undefined)
      warnings.push('the input has no ed25519_pubkey, which the server token names');
    const now = options.clock.now() / 1000;
    serverClaimsJson = JSON.stringify(unsignedServerClaims(serverClaims, now, issuer.expiresAt));
  }
  return { ...common, outcome, reason, message, reply, serverClaimsJson, warnings };
}

function inputOf(inputs: DryRunOptions['inputs'], identity: Identity): string {
  const last = inputs.of(identity);
  if (last !== undefined) return encodeInput(last);
  const message = `the helper was not asked about ${identity} of late: give an input (slipway helper test --input FILE)`;
  throw new ControlError('NOT_NOW', 'NOTHING_FETCHED', message);
}

function contextOf(options: DryRunOptions, node: DescribedNode): DecisionContext {
  const identity = parseIdentity(node.identity);
  return {
    ...options,
    identity: node.identity,
    node,
    publicKey: node.publicKey ?? '',
    // Whom it is encrypted for makes no difference to what follows.
    encryptKey: options.features.jwt ? encryptFor(newX25519Pair().publicKey) : undefined,
    now: Math.floor(options.clock.now() / 1000),
    upgradedFrom: identity === undefined ? [] : options.upgradedFrom(identity),
  };
}

/** What would sign: until when, or why nothing could. */
async function issuerOf(signing: SigningSource | undefined): Promise<{ expiresAt?: number; why?: string }> {
  const state = await signing?.current();
  if (state === undefined) return {};
  if (state.kind === 'UNUSABLE') return { why: `${state.setting} ${state.why}` };
  const { expiresAt } = state.issuer;
  return expiresAt === undefined ? {} : { expiresAt };
}
