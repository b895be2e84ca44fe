// Between the wire and domain types, for calls to nodes. All that a node sends is checked here: nothing past
// this file doubts it.

import {
  type ConfigureRequest,
  type ConfigureResponse,
  type GenerateCsrResponse,
  type GenerateEd25519KeyResponse,
  type GetInventoryResponse,
  type GetJwtResponse,
  type GetRunStatusResponse,
  type IdentifyResponse,
  type ReprovisionResponse,
  RunStage as WireStage,
} from '../../../shared/gen/slipway/node/v1/node.js';
import { pinMismatch } from '../../../shared/grpc/credentials.js';
import { type RpcError, statusName } from '../../../shared/grpc/errors.js';
import { plainFailure } from '../../../shared/grpc/plain-failure.js';
import { parseBootId, parseIdentity } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import { configurationDigest } from '../../../shared/trust/digest.js';
import { isOfLowOrder } from '../../../shared/trust/low-order.js';
import { fromDuration } from '../../../shared/wire/time.js';
import type { Configuration } from './configuration.js';
import type { Inventory } from './inventory.js';
import type {
  CallCode,
  CallFailure,
  NodeCsr,
  NodeDescription,
  NodeKey,
  NodeToken,
  RestartNotice,
  RunStage,
  RunStatus,
} from './node.js';

/** A reply that is not what the contract says. The message says what is wrong with it. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

const challengeBytes = 32;
const digestBytes = 32;
const publicKeyBytes = 32;
const signatureBytes = 64;
const longestPath = 4_096;
/** A version is a short name; it goes into events and lists. */
const longestVersion = 256;
const longestMessage = 2_048;

/** @throws ReplyError */
export function toNodeDescription(reply: IdentifyResponse): NodeDescription {
  const identity = parseIdentity(reply.identity);
  if (identity === undefined) throw new ReplyError('its identity is no node name');
  const bootId = parseBootId(reply.bootId);
  if (bootId === undefined) throw new ReplyError('its boot_id is no UUID');
  checkLength(reply.challenge, challengeBytes, 'challenge');
  const version = checkVersion(reply.version);
  const { challenge, provisioning } = reply;
  const { jwt = false, ed25519 = false, pki = false, upgrades = false } = reply.features ?? {};
  const features = { jwt, ed25519, pki, upgrades };
  return { identity, bootId, challenge, provisioning, version, features };
}

/** @throws ReplyError */
export function toNodeToken(reply: GetJwtResponse): NodeToken {
  if (reply.jwt === '') throw new ReplyError('it holds no token');
  const ecdhPublic = bytesOf(reply.ecdhPublic, publicKeyBytes, 'ecdh_public');
  if (isOfLowOrder(ecdhPublic)) throw new ReplyError('its ecdh_public is a point of low order');
  return { jwt: new Secret(reply.jwt), ecdhPublic };
}

/** @throws ReplyError */
export function toNodeKey(reply: GenerateEd25519KeyResponse): NodeKey {
  const { directory } = reply;
  const publicKey = bytesOf(reply.publicKey, publicKeyBytes, 'public_key');
  const signature = bytesOf(reply.signature, signatureBytes, 'signature');
  checkPath(directory, 'directory');
  return { publicKey, signature, directory };
}

/** @throws ReplyError */
export function toNodeCsr({ csrPem, publicKeyPem, sslDir }: GenerateCsrResponse): NodeCsr {
  if (csrPem === '') throw new ReplyError('it holds no certificate signing request');
  if (sslDir !== '') checkPath(sslDir, 'ssl_dir');
  return { csrPem, publicKeyPem, sslDir };
}

/** @throws ReplyError */
export function toInventory(reply: GetInventoryResponse): Inventory {
  checkJson(reply.machinesJson, 'machines_json');
  const facts = checkJson(reply.factsJson, 'facts_json');
  if (facts !== undefined && (typeof facts !== 'object' || facts === null || Array.isArray(facts))) {
    throw new ReplyError('its facts_json is no JSON object');
  }
  return {
    version: checkVersion(reply.version),
    upgradable: reply.upgradable,
    agents: reply.agents,
    classes: reply.classes,
    collectives: reply.collectives,
    mainCollective: reply.mainCollective,
    dataPlugins: reply.dataPlugins,
    machinesJson: reply.machinesJson,
    factsJson: reply.factsJson,
  };
}

/** @returns hex digest. @throws ReplyError */
export function toDigest(reply: ConfigureResponse): string {
  checkLength(reply.configurationDigest, digestBytes, 'configuration_digest');
  return hex(reply.configurationDigest);
}

/** Which sentence it is and when it restarts decides nothing: what is odd about them is made plain. */
export function toRestartNotice({ message, restartingIn }: ReprovisionResponse): RestartNotice {
  const shown = message.slice(0, longestMessage).replaceAll(/\p{C}/gu, '?');
  return { message: shown, restartingInMs: Math.max(0, fromDuration(restartingIn)) };
}

/** @throws ReplyError */
export function toRunStatus(reply: GetRunStatusResponse): RunStatus {
  const stage = stages.get(reply.stage);
  if (stage === undefined) throw new ReplyError('its stage is none that is known here');
  return { stage, configurationDigest: hex(reply.configurationDigest) };
}

const stages: ReadonlyMap<number, RunStage> = new Map([
  [WireStage.NONE, 'NONE'],
  [WireStage.KEYED, 'KEYED'],
  [WireStage.CONFIGURED, 'CONFIGURED'],
  [WireStage.RESTARTING, 'RESTARTING'],
  [WireStage.UPGRADING, 'UPGRADING'],
  [WireStage.UPGRADED, 'UPGRADED'],
  [WireStage.STOPPING, 'STOPPING'],
  [WireStage.CONFIRMED, 'CONFIRMED'],
  [WireStage.FAILED, 'FAILED'],
]);

export function toConfigureRequest(configuration: Configuration): ConfigureRequest {
  return {
    configurationJson: configuration.configurationJson,
    keyPem: configuration.keyPem,
    certificatePem: configuration.certificatePem,
    caPem: configuration.caPem,
    sslDir: configuration.sslDir,
    nodeEcdhPublic: Buffer.from(configuration.nodeEcdhPublic),
    provisionerEcdhPublic: Buffer.from(configuration.provisionerEcdhPublic),
    serverJwt: configuration.serverJwt,
    actionPolicies: Object.fromEntries(configuration.actionPolicies),
    opaPolicies: Object.fromEntries(configuration.opaPolicies),
  };
}

/** Hex SHA-256 that names a configuration: what the node must say that it committed (design, section 3). */
export function configurationDigestOf(configuration: Configuration): string {
  return hex(configurationDigest(toConfigureRequest(configuration)));
}

/** Reads a failed call; what was wrong with the arguments goes into the message. */
export function toCallFailure(error: RpcError): CallFailure {
  const code = toCallCode(error.code);
  if (error.neverConnected) {
    const anotherCertificate = error.message.includes(pinMismatch);
    return {
      kind: 'NOT_SENT',
      code,
      message: plainFailure(error.message),
      ...(anotherCertificate && { anotherCertificate }),
    };
  }
  const violations = error.violations
    .map(({ field, description }) => `${field}: ${description}`)
    .filter((violation) => !error.message.includes(violation));
  return {
    kind: 'STATUS',
    code,
    reason: error.reason,
    metadata: error.metadata,
    retryAfterMs: error.retryAfterMs === undefined ? undefined : Math.max(0, error.retryAfterMs),
    message: [plainFailure(error.message), ...violations].join('; ').slice(0, longestMessage),
  };
}

function toCallCode(code: number): CallCode {
  const name = statusName(code);
  return name === 'OK' ? 'UNKNOWN' : name;
}

function checkVersion(version: string): string {
  if (version.length > longestVersion) throw new ReplyError('its version is no version, but a long text');
  return version;
}

function checkLength(bytes: Uint8Array, expected: number, field: string): void {
  if (bytes.length === expected) return;
  throw new ReplyError(`its ${field} has ${bytes.length} bytes, not ${expected}`);
}

/** @returns a copy: a few bytes that are kept for each host must not keep the memory in use that was read into */
function bytesOf(bytes: Uint8Array, expected: number, field: string): Uint8Array {
  checkLength(bytes, expected, field);
  return Uint8Array.from(bytes);
}

/** Of whatever system the node has. It goes to the helper, into configurations and logs. */
function checkPath(path: string, field: string): void {
  if (path.length <= longestPath && /^(?:\/|[A-Za-z]:[\\/])[^\p{Cc}\u2028\u2029]*$/u.test(path)) return;
  throw new ReplyError(path === '' ? `it names no ${field}` : `its ${field} is no absolute path`);
}

/** Only looks: the text itself is passed on, so that large integers and the order of keys survive. */
function checkJson(text: string, field: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ReplyError(`its ${field} is no JSON: ${why.slice(0, 200)}`);
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
