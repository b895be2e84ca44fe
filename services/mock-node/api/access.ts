// Who may call which RPC of an agent: it knows its callers by their proofs, not by certificates.

import type { AccessTable } from '../../../shared/grpc/access.js';

/** slipway.node.v1.NodeAgentService. */
export const agentAccess: AccessTable = {
  Identify: 'OPEN',
  GetJwt: 'OPEN',
  GenerateEd25519Key: 'OPEN',
  GetInventory: 'OPEN',
  GenerateCsr: 'OPEN',
  UpdateRelease: 'OPEN',
  Configure: 'OPEN',
  Restart: 'OPEN',
  Shutdown: 'OPEN',
  Reprovision: 'OPEN',
  GetRunStatus: 'OPEN',
};
