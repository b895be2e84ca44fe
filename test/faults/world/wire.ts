// The wire between a provisioner and the nodes: what the node client, the network and the node's server are in a
// site, without any of them. Certificates, deadlines, broken connections and refusals are as a caller has them there.

import { status } from '@grpc/grpc-js';
import { toRpcError } from '../../../services/mock-node/api/refusals.js';
import { ReplyError, toCallFailure } from '../../../services/provisioner/run/convert.js';
import {
  type Caller,
  type CallFailure,
  type CallLimits,
  type Dial,
  type NodeAddress,
  NodeCallError,
} from '../../../services/provisioner/run/node.js';
import type { NodeRpc } from '../../../services/provisioner/run/node-client.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { ReceivedNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import { proof } from '../../../shared/trust/proof.js';
import { type CallFaults, type Faults, never } from './faults.js';
import type { Life } from './life.js';
import type { NodeBoot, WorldNode } from './node.js';
import { type Ask, agentOver } from './node-agent.js';

export interface WireOptions {
  readonly clock: Clock;
  readonly faults: Faults;
  /** @returns the machine at an address, up or down */
  readonly nodeAt: (address: string) => WorldNode | undefined;
}

/** Who dials: one life of a provisioner. */
export interface Dialler {
  readonly life: Life;
  readonly site: string;
  /** Its instance id. */
  readonly provisioner: string;
}

export class Wire {
  readonly #options: WireOptions;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** @returns what opens channels for a provisioner, for as long as it lives */
  dialFrom(dialler: Dialler): Dial {
    return (target) =>
      agentOver((rpc, caller, limits, ask) => this.#call(dialler, target, { rpc, caller, ask }, limits));
  }

  /** One attempt, with a deadline. A process that is gone hears of no answer. */
  #call<T>(dialler: Dialler, target: NodeAddress, request: Request<T>, limits: CallLimits): Promise<T> {
    return dialler.life.during(
      () =>
        new Promise<T>((resolve, reject) => {
          const { signal, timeoutMs } = limits;
          if (signal.aborted) {
            reject(signal.reason);
            return;
          }
          const gaveUp = new AbortController();
          const giveUp = (error: unknown) => {
            gaveUp.abort(error);
            reject(error);
          };
          const onAbort = () => giveUp(signal.reason);
          const onDeath = () => gaveUp.abort(dialler.life.ended.reason);
          const timer = this.#options.clock.setTimer(timeoutMs, () => giveUp(tooLate()));
          signal.addEventListener('abort', onAbort, { once: true });
          dialler.life.ended.addEventListener('abort', onDeath, { once: true });
          this.#carry(dialler, target, request, gaveUp.signal)
            .then(resolve, reject)
            .finally(() => {
              timer.cancel();
              signal.removeEventListener('abort', onAbort);
              dialler.life.ended.removeEventListener('abort', onDeath);
            });
          gaveUp.signal.addEventListener('abort', () => timer.cancel(), { once: true });
        }),
    );
  }

  /** Over a connection that breaks when the node goes down. */
  #carry<T>(dialler: Dialler, target: NodeAddress, request: Request<T>, gaveUp: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const node = this.#options.nodeAt(target.address);
      const faults = this.#options.faults.take(node?.identity ?? target.address, request.rpc);
      const boot = node?.boot;
      if (boot === undefined) {
        reject(notSent());
      } else if (target.anyBoot !== true && target.certificateSha256 !== boot.certificateSha256) {
        reject(notSent({ anotherCertificate: true }));
      } else {
        const onBreak = () => reject(dropped());
        boot.ended.addEventListener('abort', onBreak, { once: true });
        const metadata = metadataOf(dialler, request.caller, boot);
        this.#handle(boot, request, faults, { caller: metadata, signal: gaveUp })
          .then(resolve, reject)
          .finally(() => boot.ended.removeEventListener('abort', onBreak));
      }
    });
  }

  async #handle<T>(
    boot: NodeBoot,
    { rpc, ask }: Request<T>,
    faults: CallFaults,
    call: { readonly caller: ReceivedNodeMetadata; readonly signal: AbortSignal },
  ): Promise<T> {
    await faults.happens('ARRIVES');
    if (faults.delayMs > 0) await sleep(this.#options.clock, faults.delayMs);
    if (faults.has('HANG')) return await never();
    if (faults.has('LOSE_REQUEST')) throw dropped();
    const answer = () => ask(boot.agent, call).then(said, failed);
    faults.keepRepeat(async () => {
      await answer();
    });
    if (faults.has('DUPLICATE')) await answer();
    const reply = await answer();
    await faults.happens('DONE');
    if (faults.has('LOSE_REPLY')) throw dropped();
    if (faults.has('HANG_AFTER')) return await never();
    await faults.happens('ANSWERED');
    if ('error' in reply) throw asCallError(rpc, reply.error);
    return reply.value;
  }
}

interface Request<T> {
  readonly rpc: NodeRpc;
  /** Undefined for Identify. */
  readonly caller: Caller | undefined;
  readonly ask: Ask<T>;
}

function said<T>(value: T): { readonly value: T } {
  return { value };
}

function failed(error: unknown): { readonly error: unknown } {
  return { error };
}

/** As node-client.ts writes it, for the certificate that the boot shows. */
function metadataOf(
  { site, provisioner }: Dialler,
  caller: Caller | undefined,
  { certificateSha256 }: NodeBoot,
): ReceivedNodeMetadata {
  if (caller === undefined) {
    return { proof: '', identity: '', boot: '', site: '', provisioner: '', run: '', fence: undefined };
  }
  const { identity, bootId, challenge, runId, fence, secret } = caller;
  const shown = proof({ secret: secret?.reveal() ?? '', identity, runId, challenge, certificateSha256 });
  return { proof: shown, identity, boot: bootId, site, provisioner, run: runId, fence };
}

/** What a caller makes of an error that the node's server answered with. */
function asCallError(rpc: NodeRpc, error: unknown): NodeCallError {
  if (error instanceof ReplyError) {
    const message = `the reply to ${rpc}: ${error.message}`;
    return new NodeCallError({ kind: 'REPLY_INVALID', message }, { cause: error });
  }
  const told = toRpcError(error);
  const answered = told instanceof RpcError ? told : new RpcError(status.INTERNAL, 'internal error');
  return new NodeCallError(toCallFailure(answered), { cause: error });
}

function notSent(more: { readonly anotherCertificate?: true } = {}): NodeCallError {
  const failure: CallFailure = {
    kind: 'NOT_SENT',
    code: 'UNAVAILABLE',
    message: 'No connection established',
  };
  return new NodeCallError({ ...failure, ...more });
}

function dropped(): NodeCallError {
  return new NodeCallError(toCallFailure(new RpcError(status.UNAVAILABLE, 'Connection dropped')));
}

function tooLate(): NodeCallError {
  return new NodeCallError(toCallFailure(new RpcError(status.DEADLINE_EXCEEDED, 'Deadline exceeded')));
}
