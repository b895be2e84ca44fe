// Between the wire and the agent's types. Generated types go no further than this folder.

import {
  type ConfigureRequest,
  type GenerateCsrRequest,
  type GetInventoryResponse,
  type GetRunStatusResponse,
  type IdentifyResponse,
  RunStage,
} from '../../../shared/gen/slipway/node/v1/node.js';
import { configurationDigest } from '../../../shared/trust/digest.js';
import { toTimestamp } from '../../../shared/wire/time.js';
import type { Presence } from '../agent/answers.js';
import type { Configuration } from '../agent/configuration.js';
import type { Inventory } from '../agent/inventory.js';
import type { CsrSubject } from '../agent/own-keys.js';
import type { RunRecord } from '../state/node-state.js';

export function toConfiguration(request: ConfigureRequest): Configuration {
  return {
    digest: configurationDigest(request).toString('hex'),
    configurationJson: request.configurationJson,
    keyPem: request.keyPem,
    certificatePem: request.certificatePem,
    caPem: request.caPem,
    sslDir: request.sslDir,
    nodeEcdhPublic: request.nodeEcdhPublic,
    provisionerEcdhPublic: request.provisionerEcdhPublic,
    serverJwt: request.serverJwt,
    actionPolicies: new Map(Object.entries(request.actionPolicies)),
    opaPolicies: new Map(Object.entries(request.opaPolicies)),
  };
}

export function toSubject(request: GenerateCsrRequest): CsrSubject {
  const { commonName, country, province, locality, organization, organizationalUnit } = request;
  return { commonName, country, province, locality, organization, organizationalUnit };
}

export function fromPresence(presence: Presence): IdentifyResponse {
  return {
    identity: presence.identity,
    bootId: presence.bootId,
    challenge: Buffer.from(presence.challenge),
    provisioning: presence.provisioning,
    version: presence.version,
    features: { jwt: presence.hasToken, ed25519: true, pki: true, upgrades: presence.upgradable },
  };
}

export function fromInventory(inventory: Inventory): GetInventoryResponse {
  return {
    ...inventory,
    agents: [...inventory.agents],
    classes: [...inventory.classes],
    collectives: [...inventory.collectives],
    dataPlugins: [...inventory.dataPlugins],
  };
}

/** @param record undefined where the node knows nothing of the run */
export function fromRunRecord(record: RunRecord | undefined): GetRunStatusResponse {
  if (record === undefined) {
    return { stage: RunStage.NONE, configurationDigest: Buffer.of(), updatedAt: undefined };
  }
  return {
    stage: RunStage[record.stage],
    configurationDigest: Buffer.from(record.configurationDigest, 'hex'),
    updatedAt: toTimestamp(record.updatedAt),
  };
}
