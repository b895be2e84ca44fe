// NodeAgentService: finds the node that a call is for, lets its agent answer, and converts both ways. Every
// served RPC goes through one place.

import { status } from '@grpc/grpc-js';
import type {
  IdentifyResponse,
  NodeAgentServiceServer,
  UpdateReleaseRequest,
} from '../../../shared/gen/slipway/node/v1/node.js';
import { RpcError, type StatusName, statusName } from '../../../shared/grpc/errors.js';
import { unary } from '../../../shared/grpc/handler.js';
import { readNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import type { Logger } from '../../../shared/logger.js';
import { fromDuration, toDuration } from '../../../shared/wire/time.js';
import type { Call } from '../agent/call.js';
import type { ServedAgent } from '../agent/served-agent.js';
import { type Effects, type Injection, UnansweredError, type Victim } from '../faults/injection.js';
import { fromInventory, fromPresence, fromRunRecord, toConfiguration, toSubject } from './convert.js';
import { nodeIsDown, toRpcError } from './refusals.js';

export const servedRpcs = [
  'Identify',
  'GetJwt',
  'GenerateEd25519Key',
  'GetInventory',
  'GenerateCsr',
  'UpdateRelease',
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
  readonly agentAt: (authority: string) => ServedAgent | undefined;
  /** Told of every call that ended. */
  readonly onCall: (rpc: ServedRpc, code: StatusName) => void;
  /** Told of every call whose proof did not match. */
  readonly onProofRefused: () => void;
  /** What stands between the calls and the agents. */
  readonly injection: Injection;
  /**
   * @param authority host and port that the caller dialled
   * @param peer the caller's end of its connection, host and port
   * @returns what a call has come to
   */
  readonly victimOf: (authority: string, peer: string) => Victim;
  /** Makes a reply bytes that are no such message. */
  readonly garble: (reply: object) => void;
  readonly log: Logger;
}

/** @returns the implementation of NodeAgentService */
export function createNodeAgentApi(options: NodeAgentApiOptions): NodeAgentServiceServer {
  const { agentAt, onCall, onProofRefused, injection, victimOf, garble, log } = options;
  return {
    identify: serve('Identify', (agent, _call, _request, faults) => {
      const presence = fromPresence(agent.identify());
      return faults.has('wrong-identity') ? asAnother(presence) : presence;
    }),
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
    updateRelease: serve('UpdateRelease', async (agent, call, request: UpdateReleaseRequest, faults) => {
      await agent.updateRelease(call, request, { withoutEffect: faults.has('no-effect') });
      return { message: 'the release is replaced, and the node restarts' };
    }),
    configure: serve('Configure', async (agent, call, request, faults) => {
      const configuration = toConfiguration(request);
      await agent.configure(call, configuration);
      const digest = Buffer.from(configuration.digest, 'hex');
      return {
        message: 'the configuration is committed',
        configurationDigest: faults.has('wrong-digest') ? inverted(digest) : digest,
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
  };

  function serve<Req, Res extends object>(
    rpc: ServedRpc,
    answer: (agent: ServedAgent, call: Call, request: Req, faults: Effects) => Res | Promise<Res>,
  ) {
    return unary<Req, Res>(log, async (request, context) => {
      let code: StatusName | undefined = 'OK';
      try {
        const agent = agentAt(context.authority);
        if (agent === undefined) throw nodeIsDown();
        const call: Call = { caller: readNodeMetadata(context.metadata), signal: context.signal };
        return await injection.around({
          rpc,
          signal: context.signal,
          victim: victimOf(context.authority, context.peer),
          work: (faults) => answer(agent, call, request, faults),
          garble,
        });
      } catch (error) {
        if (error instanceof UnansweredError) {
          code = undefined;
          throw nodeIsDown();
        }
        const told = toRpcError(error);
        if (told instanceof RpcError && told.reason === 'PROOF_INVALID') onProofRefused();
        code = statusName(told instanceof RpcError ? told.code : status.INTERNAL);
        throw told;
      } finally {
        if (code !== undefined) onCall(rpc, code);
      }
    });
  }
}

/** Another node, of a name as long, answers at this address. */
function asAnother(presence: IdentifyResponse): IdentifyResponse {
  const { identity } = presence;
  return { ...presence, identity: `${identity.startsWith('x') ? 'y' : 'x'}${identity.slice(1)}` };
}

/** As long, and never the same. */
function inverted(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte) => byte ^ 0xff));
}
