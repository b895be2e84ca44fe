// What the steps of one run share: what it was given, whom it speaks to, and what it has learnt so far.

import type { Clock } from '../../../shared/clock.js';
import type { Identity, RunId } from '../../../shared/identity.js';
import type { Random } from '../../../shared/random.js';
import type { TokenVerifier } from '../../../shared/trust/token-verifier.js';
import type { DenyList } from '../enrolment/deny-list.js';
import type { SigningSource } from '../enrolment/signing.js';
import type { EventSink, FailedAttempt, StepName } from '../events/event.js';
import type { Helper, HelperReply } from '../helper/helper.js';
import type { IssuedCredentials } from './configuration.js';
import type { Confirmations } from './confirmations.js';
import type { Control } from './control.js';
import type { CutOff } from './cut-off.js';
import type { HelperBreaker } from './helper-breaker.js';
import type { Inventory } from './inventory.js';
import type { NodeAgent, NodeCsr, NodeDescription, NodeKey } from './node.js';
import type { Outcome } from './outcome.js';
import type { Progress } from './progress.js';
import type { Fetched, FetchedToken, RunTask } from './run.js';
import type { Session } from './session.js';

/** Where what is worth a line in the log, but is no event, goes. A pino logger is one. */
export interface RunLog {
  info(fields: RunLogFields, message: string): void;
  warn(fields: RunLogFields, message: string): void;
  error(fields: RunLogFields & { readonly err: unknown }, message: string): void;
}

export interface RunLogFields {
  readonly identity: Identity;
  readonly run_id: RunId;
  readonly step?: StepName;
}

export interface RunSettings {
  readonly identifyTimeoutMs: number;
  /** For one attempt of every other call. */
  readonly rpcTimeoutMs: number;
  /** For a whole run, without its waits for a helper slot. */
  readonly runTimeoutMs: number;
  readonly restartSplayMs: number;
  readonly upgrades: UpgradeSettings;
  readonly features: RunFeatures;
}

/** How nodes change to the release that their helper wants, where features.upgrades is on. */
export interface UpgradeSettings {
  /** Where releases are to be had; undefined where the site has not said. */
  readonly repository: string | undefined;
  /** A node whose release is not replaced is configured all the same. */
  readonly optional: boolean;
  /** For one attempt of UpdateRelease, milliseconds. */
  readonly timeoutMs: number;
}

/** The features that gate steps. ed25519 needs jwt. */
export interface RunFeatures {
  readonly jwt: boolean;
  readonly ed25519: boolean;
  readonly pki: boolean;
  readonly upgrades: boolean;
}

/** What nodes are checked with, and what is signed for them. What a feature needs is there where it is on. */
export interface Enrolment {
  /** Verifies provisioning tokens. */
  readonly tokens?: Pick<TokenVerifier, 'verify'>;
  readonly denyList: DenyList;
  readonly signing?: SigningSource;
  /** How long a server token is valid where the helper does not say, milliseconds. */
  readonly serverJwtValidityMs: number;
}

/** What a run needs of the rest of the service. */
export interface RunSurroundings {
  readonly settings: RunSettings;
  readonly helper: Helper;
  readonly breaker: HelperBreaker;
  readonly enrolment: Enrolment;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly random: Random;
  /** Gives 32 random bytes. */
  readonly newNonce: () => Uint8Array;
  readonly log: RunLog;
  /** The interval in which live nodes are sighted, milliseconds; it changes with what discovery says. */
  readonly intervalMs: () => number;
  readonly confirmations: Confirmations;
}

export interface RunContext extends RunSurroundings {
  readonly task: RunTask;
  readonly agent: NodeAgent;
  readonly session: Session;
  readonly control: Control;
  /** Written for people who look on. */
  readonly progress: Progress;
  /** What the run leaves for the next one of the same boot. */
  fetched: Fetched | undefined;
  /** From step 1. */
  node?: NodeDescription;
  /** From GetJwt; like the next two, of this run or an earlier one of the same boot. */
  token?: FetchedToken;
  /** From GenerateEd25519Key. */
  key?: NodeKey;
  /** From GetInventory. */
  inventory?: Inventory;
  /** From GenerateCsr. */
  csr?: NodeCsr;
  /** From the helper. */
  reply?: HelperReply;
  /** Made once in each pass. */
  credentials?: IssuedCredentials | undefined;
  /** Hex digest of what Configure sends. */
  configurationDigest?: string;
  /** Set where Configure was done, or may have been. */
  configured?: CutOff;
}

/** How a step ended. */
export type StepResult =
  /** Nothing to do. */
  | { readonly kind: 'SKIPPED' }
  /** Done; with an outcome, the run is over. */
  | { readonly kind: 'COMPLETED'; readonly tries: number; readonly outcome?: Outcome }
  /** Not done, and the run is over. */
  | { readonly kind: 'ENDED'; readonly outcome: Outcome }
  /** What was fetched no longer holds. The outcome is the run's if it has started over before. */
  | { readonly kind: 'START_OVER'; readonly outcome: Outcome };

/** @throws Error where a step asks for what only a later one brings: the sequence is out of order */
export function known<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is not known yet`);
  return value;
}

/** Keeps what was fetched for later runs of the same boot. */
export function keep(run: RunContext, fetched: Omit<Fetched, 'bootId' | 'certificateSha256'>): void {
  const { bootId } = known(run.node, 'the node');
  const { certificateSha256 } = run.task.node;
  run.fetched = { ...run.fetched, ...fetched, bootId, certificateSha256 };
}

/** Reports one failed attempt of a step. */
export function reportFailedAttempt(
  run: Pick<RunContext, 'events' | 'task' | 'session' | 'progress'>,
  attempt: FailedAttempt,
): void {
  const { runId } = run.session;
  run.progress.failed(attempt);
  run.events.publish({ type: 'STEP_FAILED', identity: run.task.node.identity, runId, ...attempt });
}

/** Ends a run at a step that no call failed. */
export function failStep(
  run: RunContext,
  step: StepName,
  outcome: Extract<Outcome, { kind: 'FAILED' | 'UPGRADE_FAILED' }>,
  durationMs: number,
): StepResult {
  const { reason, message } = outcome;
  reportFailedAttempt(run, { step, attempt: 1, code: '', reason, message, willRetry: false, durationMs });
  return { kind: 'ENDED', outcome };
}
