// What an agent checks of a call, and in which order: the table of design, section 3, as two lists. Between
// them the caller takes the node: from there on it holds it, whatever its arguments are worth. Whether what Configure
// brings fits the node's keys is checked after them (key-fit.ts).

import { parseIdentity, parseRunId } from '../../../shared/identity.js';
import { checkConfiguration, checkNonce, checkSplay, checkSubject, type Violation } from './arguments.js';
import type { Arguments, Caller, Hold, PendingStop, Rpc } from './call.js';
import type { Refusal } from './refusal.js';
import { checkRelease } from './release.js';

/** What the checks look at of the node. */
export interface Standing {
  readonly identity: string;
  readonly bootId: string;
  readonly provisioning: boolean;
  readonly hasSecret: boolean;
  /** True where the node has no secret. */
  acceptsProof(caller: Caller): boolean;
  readonly pending: PendingStop | undefined;
  readonly hold: Hold | undefined;
  /** The one that the caller's site has or had last, whoever held the node since. */
  readonly holdOfSite: Hold | undefined;
  /** Monotonic milliseconds. */
  readonly now: number;
}

/** What the checks of arguments look at of the node. */
export interface Readiness {
  /** The node's folder, absolute. */
  readonly directory: string;
  /** Whether the node, started with what is written, would be in provisioning mode. */
  readonly enablesProvisioning: boolean;
}

type AdmissionCheck = (rpc: Rpc, caller: Caller, node: Standing) => Refusal | undefined;
type ArgumentCheck = (call: Arguments, node: Readiness) => Refusal | undefined;

const admissionChecks: readonly AdmissionCheck[] = [
  checkIdentity,
  checkBoot,
  checkProof,
  checkMode,
  checkPendingStop,
  checkLock,
  checkFence,
  checkCaller,
];

const argumentChecks: readonly ArgumentCheck[] = [checkArguments, checkOutcomeOfRestart];

/** How long a site holds a node after its last call: milliseconds. */
const lockMs = 120_000;

/** @returns the first reason to refuse the caller, or undefined where it may take the node */
export function checkAdmission(rpc: Rpc, caller: Caller, node: Standing): Refusal | undefined {
  return firstRefusal(admissionChecks, (check) => check(rpc, caller, node));
}

/** @returns the first reason to refuse what an admitted caller asks for, or undefined */
export function checkRequest(call: Arguments, node: Readiness): Refusal | undefined {
  return firstRefusal(argumentChecks, (check) => check(call, node));
}

function firstRefusal<Check>(
  checks: readonly Check[],
  run: (check: Check) => Refusal | undefined,
): Refusal | undefined {
  for (const check of checks) {
    const refusal = run(check);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkIdentity(_rpc: Rpc, caller: Caller, node: Standing): Refusal | undefined {
  return parseIdentity(caller.identity) === node.identity ? undefined : { reason: 'IDENTITY_MISMATCH' };
}

function checkBoot(_rpc: Rpc, caller: Caller, node: Standing): Refusal | undefined {
  return caller.boot.toLowerCase() === node.bootId ? undefined : { reason: 'REBOOTED' };
}

function checkProof(_rpc: Rpc, caller: Caller, node: Standing): Refusal | undefined {
  return node.acceptsProof(caller) ? undefined : { reason: 'PROOF_INVALID' };
}

function checkMode(rpc: Rpc, _caller: Caller, node: Standing): Refusal | undefined {
  switch (rpc) {
    case 'GetRunStatus':
      return undefined;
    case 'Restart':
    case 'Shutdown':
      return node.provisioning || node.hasSecret ? undefined : { reason: 'NOT_PROVISIONING' };
    case 'Reprovision':
      return node.provisioning ? { reason: 'PROVISIONING' } : undefined;
    case 'GetJwt':
    case 'GenerateEd25519Key':
    case 'GetInventory':
    case 'GenerateCsr':
    case 'UpdateRelease':
    case 'Configure':
      return node.provisioning ? undefined : { reason: 'NOT_PROVISIONING' };
  }
}

function checkPendingStop(rpc: Rpc, caller: Caller, { pending }: Standing): Refusal | undefined {
  if (pending === undefined || rpc === 'GetRunStatus') return undefined;
  if (rpc === pending.rpc && parseRunId(caller.run) === pending.runId) return undefined;
  return { reason: 'STOPPING' };
}

function checkLock(_rpc: Rpc, caller: Caller, { hold, now }: Standing): Refusal | undefined {
  if (hold === undefined || hold.site === caller.site) return undefined;
  const remainingMs = hold.lastCallAt + lockMs - now;
  return remainingMs > 0 ? { reason: 'LOCKED', site: hold.site, retryAfterMs: remainingMs } : undefined;
}

function checkFence(_rpc: Rpc, caller: Caller, { holdOfSite: hold, now }: Standing): Refusal | undefined {
  if (hold === undefined || caller.fence === undefined) return undefined;
  if (caller.fence > hold.fence) return undefined;
  if (caller.fence === hold.fence && parseRunId(caller.run) === hold.runId) return undefined;
  return { reason: 'STALE_FENCE', fence: hold.fence, idleMs: now - hold.lastCallAt };
}

/** Who does not say which site, run and fence it calls for cannot hold the node. */
function checkCaller(_rpc: Rpc, caller: Caller): Refusal | undefined {
  const violations: Violation[] = [];
  if (caller.site === '') violations.push({ field: 'slipway-site', description: 'is missing' });
  if (parseRunId(caller.run) === undefined) {
    violations.push({ field: 'slipway-run', description: 'is missing or no UUID' });
  }
  if (caller.fence === undefined) {
    violations.push({ field: 'slipway-fence', description: 'is missing or no decimal int64' });
  }
  return violations.length === 0 ? undefined : { reason: 'ARGUMENT_INVALID', violations };
}

function checkArguments(call: Arguments, node: Readiness): Refusal | undefined {
  const violations = findViolations(call, node);
  return violations.length === 0 ? undefined : { reason: 'ARGUMENT_INVALID', violations };
}

function findViolations(call: Arguments, { directory }: Readiness): Violation[] {
  switch (call.rpc) {
    case 'GenerateEd25519Key':
      return checkNonce(call.nonce);
    case 'GenerateCsr':
      return checkSubject(call.subject);
    case 'UpdateRelease':
      return checkRelease(call.release);
    case 'Configure':
      return checkConfiguration(call.configuration, directory);
    case 'Restart':
      return checkSplay(call.splayMs);
    case 'GetJwt':
    case 'Shutdown':
    case 'Reprovision':
      return [];
  }
}

function checkOutcomeOfRestart(call: Arguments, node: Readiness): Refusal | undefined {
  return call.rpc === 'Restart' && node.enablesProvisioning ? { reason: 'PROVISIONING_ENABLED' } : undefined;
}
