// NodeAgentService: finds the node that a call is for, lets its agent answer, and converts both ways. Every
// served RPC goes through one place.

import { status } from '@grpc/grpc-js';
import type { NodeAgentServiceServer } from '../../../shared/gen/slipway/node/v1/node.js';
import { RpcError, type StatusName, statusName } from '../../../shared/grpc/errors.js';
import { unary, unimplemented } from '../../../shared/grpc/handler.js';
import { readNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import type { Logger } from '../../../shared/logger.js';
import { fromDuration, toDuration } from '../../../shared/wire/time.js';
import type { Agent } from '../agent/agent.js';
import type { Call } from '../agent/call.js';
import { fromInventory, fromPresence, fromRunRecord, toConfiguration, toSubject } from './convert.js';
import { nodeIsDown, toRpcError } from './refusals.js';

export const servedRpcs = [
  'Identify',
  'GetJwt',
  'GenerateEd25519Key',
  'GetInventory',
  'GenerateCsr',
  'Configure',
  'Restart',
  'Shutdown',
  'Reprovision',
  'GetRunStatus',
] as const;

export type ServedRpc = (typeof servedRpcs)[number];

export interface NodeAgentApiOptions {
  /**
   * @param authority host and port that the caller dialled
   * @returns the agent that answers there; undefined where none does now
   */
  readonly agentAt: (authority: string) => Agent | undefined;
  /** Told of every call that ended. */
  readonly onCall: (rpc: ServedRpc, code: StatusName) => void;
  /** Told of every call whose proof did not match. */
  readonly onProofRefused: () => void;
  readonly log: Logger;
}

/** @returns the implementation of NodeAgentService */
export function createNodeAgentApi(options: NodeAgentApiOptions): NodeAgentServiceServer {
  const { agentAt, onCall, onProofRefused, log } = options;
  return {
    identify: serve('Identify', (agent) => fromPresence(agent.identify())),
    getJwt: serve('GetJwt', async (agent, call) => {
      const { token, ecdhPublic } = await agent.getJwt(call);
      return { jwt: token.reveal(), ecdhPublic };
    }),
    generateEd25519Key: serve('GenerateEd25519Key', (agent, call, request) =>
      agent.generateEd25519Key(call, request.nonce),
    ),
    generateCsr: serve('GenerateCsr', async (agent, call, request) => {
      const { csrPem, publicKeyPem, sslDirectory } = await agent.generateCsr(call, toSubject(request));
      return { csrPem, publicKeyPem, sslDir: sslDirectory };
    }),
    getInventory: serve('GetInventory', async (agent, call) => fromInventory(await agent.getInventory(call))),
    getRunStatus: serve('GetRunStatus', async (agent, call, request: { runId: string }) =>
      fromRunRecord(await agent.getRunStatus(call, request.runId)),
    ),
    configure: serve('Configure', async (agent, call, request) => {
      const configuration = toConfiguration(request);
      await agent.configure(call, configuration);
      return {
        message: 'the configuration is committed',
        configurationDigest: Buffer.from(configuration.digest, 'hex'),
      };
    }),
    restart: serve('Restart', async (agent, call, request) => {
      const restartingIn = await agent.restart(call, fromDuration(request.splay));
      return { message: 'the node restarts', restartingIn: toDuration(restartingIn) };
    }),
    shutdown: serve('Shutdown', async (agent, call) => ({
      message: 'the node stops',
      stoppingIn: toDuration(await agent.shutdown(call)),
    })),
    reprovision: serve('Reprovision', async (agent, call) => ({
      message: 'the node restarts into provisioning mode',
      restartingIn: toDuration(await agent.reprovision(call)),
    })),
    updateRelease: unimplemented('UpdateRelease'),
  };

  function serve<Req, Res>(
    rpc: ServedRpc,
    answer: (agent: Agent, call: Call, request: Req) => Res | Promise<Res>,
  ) {
    return unary<Req, Res>(log, async (request, context) => {
      let code: StatusName = 'OK';
      try {
        const agent = agentAt(context.authority);
        if (agent === undefined) throw nodeIsDown();
        const call: Call = { caller: readNodeMetadata(context.metadata), signal: context.signal };
        return await answer(agent, call, request);
      } catch (error) {
        const told = toRpcError(error);
        if (told instanceof RpcError && told.reason === 'PROOF_INVALID') onProofRefused();
        code = statusName(told instanceof RpcError ? told.code : status.INTERNAL);
        throw told;
      } finally {
        onCall(rpc, code);
      }
    });
  }
}
