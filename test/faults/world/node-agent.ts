// The RPCs of a node from end to end: what the provisioner asks becomes a message of the contract, that becomes a
// call of the mock node's agent, and its answer goes the same way back. How a call travels is wire.ts's matter.

import type { Agent } from '../../../services/mock-node/agent/agent.js';
import type { Call } from '../../../services/mock-node/agent/call.js';
import {
  fromInventory,
  fromPresence,
  fromRunRecord,
  toConfiguration,
  toSubject,
} from '../../../services/mock-node/api/convert.js';
import {
  toConfigureRequest,
  toDigest,
  toInventory,
  toNodeCsr,
  toNodeDescription,
  toNodeKey,
  toNodeToken,
  toRunStatus,
} from '../../../services/provisioner/run/convert.js';
import type { Caller, CallLimits, NodeAgent } from '../../../services/provisioner/run/node.js';
import type { NodeRpc } from '../../../services/provisioner/run/node-client.js';
import {
  ConfigureRequest,
  GenerateCsrRequest,
  IdentifyResponse,
} from '../../../shared/gen/slipway/node/v1/node.js';

/** Has an agent answer, in the caller's terms. */
export type Ask<T> = (agent: Agent, call: Call) => Promise<T>;

/** Carries one call to the node and its answer back. */
export type Carry = <T>(
  rpc: NodeRpc,
  caller: Caller | undefined,
  limits: CallLimits,
  ask: Ask<T>,
) => Promise<T>;

/** @returns the agent at the other end */
export function agentOver(carry: Carry): NodeAgent {
  return {
    identify: (limits) =>
      carry('Identify', undefined, limits, async (agent) => {
        const sent = IdentifyResponse.encode(fromPresence(agent.identify())).finish();
        return toNodeDescription(IdentifyResponse.decode(sent));
      }),
    getJwt: (caller, limits) =>
      carry('GetJwt', caller, limits, async (agent, call) => {
        const { token, ecdhPublic } = await agent.getJwt(call);
        return toNodeToken({ jwt: token.reveal(), ecdhPublic });
      }),
    generateKey: (caller, nonce, limits) =>
      carry('GenerateEd25519Key', caller, limits, async (agent, call) =>
        toNodeKey(await agent.generateEd25519Key(call, nonce)),
      ),
    getInventory: (caller, limits) =>
      carry('GetInventory', caller, limits, async (agent, call) =>
        toInventory(fromInventory(await agent.getInventory(call))),
      ),
    generateCsr: (caller, commonName, limits) =>
      carry('GenerateCsr', caller, limits, async (agent, call) => {
        const subject = toSubject(GenerateCsrRequest.fromPartial({ commonName }));
        const { csrPem, publicKeyPem, sslDirectory } = await agent.generateCsr(call, subject);
        return toNodeCsr({ csrPem, publicKeyPem, sslDir: sslDirectory });
      }),
    updateRelease: (caller, release, limits) =>
      carry('UpdateRelease', caller, limits, (agent, call) => agent.updateRelease(call, release)),
    configure: (caller, configuration, limits) => {
      const sent = ConfigureRequest.encode(toConfigureRequest(configuration)).finish();
      return carry('Configure', caller, limits, async (agent, call) => {
        const received = toConfiguration(ConfigureRequest.decode(sent));
        await agent.configure(call, received);
        return toDigest({ message: '', configurationDigest: Buffer.from(received.digest, 'hex') });
      });
    },
    restart: (caller, splayMs, limits) =>
      carry('Restart', caller, limits, async (agent, call) => {
        await agent.restart(call, splayMs);
      }),
    shutdown: (caller, limits) =>
      carry('Shutdown', caller, limits, async (agent, call) => {
        await agent.shutdown(call);
      }),
    reprovision: (caller, limits) =>
      carry('Reprovision', caller, limits, async (agent, call) => ({
        message: '',
        restartingInMs: await agent.reprovision(call),
      })),
    getRunStatus: (caller, limits) =>
      carry('GetRunStatus', caller, limits, async (agent, call) =>
        toRunStatus(fromRunRecord(await agent.getRunStatus(call, caller.runId))),
      ),
    close: () => {},
  };
}
