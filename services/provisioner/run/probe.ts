// Questions to nodes outside a run: is a boot still there, and did a node that does not report come up?

import { backoffMs } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';
import type { Secret } from '../../../shared/secret.js';
import type { SightedNode } from '../fleet/node-event.js';
import type { AskNode, PendingConfirmation } from './confirmations.js';
import type { Dial, NodeAddress, NodeAgent } from './node.js';
import { Session } from './session.js';
import { getRunStatus } from './status.js';

export interface ProbeOptions {
  readonly dial: Dial;
  readonly identifyTimeoutMs: number;
}

/**
 * @returns what tells whether a node answers at its address, on its certificate, with its boot (design,
 * section 5, incumbents). It never rejects.
 */
export function createIncumbentCheck({
  dial,
  identifyTimeoutMs,
}: ProbeOptions): (node: SightedNode) => Promise<boolean> {
  return async (node) => {
    const limits = { timeoutMs: identifyTimeoutMs, signal: new AbortController().signal };
    const found = await withNode(dial, node, (agent) => agent.identify(limits));
    return found?.identity === node.identity && found.bootId === node.bootId;
  };
}

export interface AskNodeOptions extends ProbeOptions {
  readonly rpcTimeoutMs: number;
  readonly tokens: () => readonly Secret[];
  readonly clock: Clock;
  readonly random: Random;
  /** How many nodes are asked at once; others wait for their next turn. Default 64. */
  readonly concurrency?: number;
}

/** Nodes need a moment to come up; one that does not is not asked every second for ever. */
const pauses = { initialMs: 1_000, maxMs: 10_000 };

/**
 * @returns what asks a node for the confirmation of a run, again and again: it must not be in provisioning
 * mode, and say that it came up with that run's configuration (design, section 6)
 */
export function createAskNode(options: AskNodeOptions): AskNode {
  const { dial, clock, random, concurrency = 64 } = options;
  let asking = 0;
  const askOnce: AskNode = async (pending, fence, signal) => {
    asking += 1;
    try {
      // It came up as another boot, with another certificate.
      const node = { ...pending.node, anyBoot: true };
      const confirmed = await withNode(dial, node, (agent) =>
        isConfirmed(agent, pending, fence, signal, options),
      );
      return confirmed ?? false;
    } finally {
      asking -= 1;
    }
  };
  return async (pending, fence, signal) => {
    for (let turn = 1; !signal.aborted; turn += 1) {
      const waited = await sleep(clock, backoffMs(turn, pauses, random), signal).then(
        () => true,
        () => false,
      );
      if (waited && asking < concurrency && (await askOnce(pending, fence, signal))) return true;
    }
    return false;
  };
}

async function isConfirmed(
  agent: NodeAgent,
  { node, runId, configurationDigest }: PendingConfirmation,
  fence: bigint,
  signal: AbortSignal,
  { identifyTimeoutMs, rpcTimeoutMs, tokens }: AskNodeOptions,
): Promise<boolean> {
  const found = await agent.identify({ timeoutMs: identifyTimeoutMs, signal });
  if (found.identity !== node.identity || found.provisioning) return false;
  const session = new Session(runId, fence, tokens());
  const status = await getRunStatus(agent, session, found, { timeoutMs: rpcTimeoutMs, signal });
  return status.stage === 'CONFIRMED' && status.configurationDigest === configurationDigest;
}

/** @returns undefined where the question got no answer, for whatever reason: it is put again, or not needed */
async function withNode<T>(
  dial: Dial,
  node: NodeAddress,
  ask: (agent: NodeAgent) => Promise<T>,
): Promise<T | undefined> {
  let agent: NodeAgent | undefined;
  try {
    agent = dial(node);
    return await ask(agent);
  } catch {
    return undefined;
  } finally {
    agent?.close();
  }
}
