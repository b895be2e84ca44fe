// What an agent checks of a call, and in which order: the table of design, section 3, as two lists. Between
// them the caller takes the node: from there on it holds it, whatever its arguments are worth.

import { parseIdentity, parseRunId } from '../../../shared/identity.js';
import { checkConfiguration, checkSplay, type Violation } from './arguments.js';
import type { Arguments, Caller, Hold, PendingStop, Rpc } from './call.js';
import type { Configuration } from './configuration.js';
import type { Refusal } from './refusal.js';

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
  /** Monotonic milliseconds. */
  readonly now: number;
}

/** What the checks of arguments look at of the node. */
export interface Readiness {
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

const argumentChecks: readonly ArgumentCheck[] = [checkArguments, checkKeys, checkOutcomeOfRestart];

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
    case 'GetInventory':
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

function checkFence(_rpc: Rpc, caller: Caller, { hold, now }: Standing): Refusal | undefined {
  if (hold === undefined || hold.site !== caller.site || caller.fence === undefined) return undefined;
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

function checkArguments(call: Arguments): Refusal | undefined {
  const violations = findViolations(call);
  return violations.length === 0 ? undefined : { reason: 'ARGUMENT_INVALID', violations };
}

function findViolations(call: Arguments): Violation[] {
  switch (call.rpc) {
    case 'Configure':
      return checkConfiguration(call.configuration);
    case 'Restart':
      return checkSplay(call.splayMs);
    case 'Shutdown':
    case 'Reprovision':
      return [];
  }
}

function checkKeys(call: Arguments): Refusal | undefined {
  return call.rpc === 'Configure' ? checkKeysOf(call.configuration) : undefined;
}

/** A node without keys of its own: whatever was made for one was made for another. */
function checkKeysOf({ serverJwt, certificatePem, keyPem }: Configuration): Refusal | undefined {
  if (serverJwt !== '') return { reason: 'KEY_CHANGED', what: 'server_jwt: the node has no seed' };
  if (keyPem !== '') return { reason: 'KEY_CHANGED', what: 'node_ecdh_public: the node has no key pair' };
  if (certificatePem !== '') {
    return { reason: 'KEY_CHANGED', what: 'certificate_pem: the node has no private key' };
  }
  return undefined;
}

function checkOutcomeOfRestart(call: Arguments, node: Readiness): Refusal | undefined {
  return call.rpc === 'Restart' && node.enablesProvisioning ? { reason: 'PROVISIONING_ENABLED' } : undefined;
}
