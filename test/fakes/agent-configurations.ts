// Configurations as the mock node's agent gets them, for tests.

import type { Configuration } from '../../services/mock-node/agent/configuration.js';

/** @returns a configuration that is in order and as small as can be, but for the changes */
export function agentConfiguration(changes: Partial<Configuration> = {}): Configuration {
  return {
    digest: '0'.repeat(64),
    configurationJson: '{"a":"1"}',
    keyPem: '',
    certificatePem: '',
    caPem: '',
    sslDir: '',
    nodeEcdhPublic: new Uint8Array(),
    provisionerEcdhPublic: new Uint8Array(),
    serverJwt: '',
    actionPolicies: new Map(),
    opaPolicies: new Map(),
    ...changes,
  };
}
