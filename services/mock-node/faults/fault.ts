// What a fault is: which calls it meets, what it does to them, how often. How faults are written is parse.ts's matter,
// which of them strike is that of faults.ts, what that does to a call is that of injection.ts.

import type { StatusName } from '../../../shared/grpc/errors.js';

/** The RPCs that can be faulted, by the words that faults are written with, as the contract names them. */
export const rpcOfWord = {
  identify: 'Identify',
  jwt: 'GetJwt',
  key: 'GenerateEd25519Key',
  inventory: 'GetInventory',
  csr: 'GenerateCsr',
  update: 'UpdateRelease',
  configure: 'Configure',
  restart: 'Restart',
  shutdown: 'Shutdown',
  reprovision: 'Reprovision',
  status: 'GetRunStatus',
} as const;

export type RpcWord = keyof typeof rpcOfWord;

/** An RPC of a node, as the contract names it. */
export type FaultedRpc = (typeof rpcOfWord)[RpcWord];

export const rpcWords = Object.keys(rpcOfWord) as readonly RpcWord[];

/** @returns the word that faults of this RPC are written with */
export function rpcWordOf(rpc: FaultedRpc): RpcWord | undefined {
  return rpcWords.find((word) => rpcOfWord[word] === rpc);
}

/** The kinds of effect that need no value, and what each does to a call. */
export const plainKinds = [
  /** The connection is reset; nothing is done. */
  'drop-request',
  /** The work is done, then the connection is reset, without a reply. */
  'drop-reply',
  /** Nothing is done, and nothing is answered until the caller gives up. */
  'hang',
  /** The work is done, and nothing is answered until the caller gives up. */
  'hang-after',
  /** The work is done; the reply is bytes that are no such message. */
  'garbage',
  /** Identify names another node; other RPCs refuse with IDENTITY_MISMATCH. */
  'wrong-identity',
  /** The work is done twice, one after the other; the second answer is given. */
  'duplicate',
  /** The node crashes before the work, without a reply, and boots again from its disk. */
  'crash-before',
  /** The node crashes after the work, without a reply, and boots again from its disk. */
  'crash-after',
  /** The work is done and answered; then the node crashes and boots again. */
  'reboot',
  /** UpdateRelease alone: all is as if the release was installed, but the node stays at the one before. */
  'no-effect',
  /** Configure alone: the reply has another digest than that of what was committed. */
  'wrong-digest',
] as const;

export type PlainKind = (typeof plainKinds)[number];

/** What befalls a call. */
export type Effect =
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The call fails with this code; nothing is done. */
  | { readonly kind: 'error'; readonly code: Exclude<StatusName, 'OK'> }
  | { readonly kind: PlainKind };

export type EffectKind = Effect['kind'];

export const effectKinds: readonly EffectKind[] = ['delay', 'error', ...plainKinds];

/** The kinds that only one RPC can have. */
export const onlyFor: Readonly<Partial<Record<EffectKind, RpcWord>>> = {
  'no-effect': 'update',
  'wrong-digest': 'configure',
};

export interface Fault {
  /** Of the nodes that have it; `*` stands for any number of characters. */
  readonly identity: string;
  readonly rpc: RpcWord | '*';
  readonly effect: Effect;
  /** That it strikes, each time anew: 0 to 1. */
  readonly probability: number;
  /** How many times it strikes a node at most; Infinity: no limit. */
  readonly times: number;
}

/**
 * What an effect can go together with. BEFORE: the call ends with it, and nothing is done. AFTER: it is how a call
 * ends whose work was done. DURING: it changes how the work is done, or delays it.
 */
export type Moment = 'BEFORE' | 'DURING' | 'AFTER';

/** @returns when the effect takes place in a call of this RPC */
export function momentOf({ kind }: Effect, rpc: FaultedRpc): Moment {
  switch (kind) {
    case 'error':
    case 'drop-request':
    case 'hang':
    case 'crash-before':
      return 'BEFORE';
    case 'wrong-identity':
      return rpc === 'Identify' ? 'DURING' : 'BEFORE';
    case 'delay':
    case 'duplicate':
    case 'no-effect':
    case 'wrong-digest':
      return 'DURING';
    case 'drop-reply':
    case 'hang-after':
    case 'garbage':
    case 'crash-after':
    case 'reboot':
      return 'AFTER';
  }
}
