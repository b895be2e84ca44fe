// The faults in force: which of them strike a call, by chance and by how often they have struck its node.

import type { Random } from '../../../shared/random.js';
import { type Effect, type Fault, type FaultedRpc, type Moment, momentOf, rpcOfWord } from './fault.js';

/** A fault struck a call of this node. */
export interface Strike {
  readonly identity: string;
  readonly rpc: FaultedRpc;
  readonly fault: Fault;
}

export interface FaultsOptions {
  /** Decides for faults that strike with a probability below 1. */
  readonly random: Random;
  /** Told of each fault that strikes. */
  readonly onStrike?: (strike: Strike) => void;
  /** Told whenever others are in force. */
  readonly onChange?: (list: readonly Fault[]) => void;
}

interface Armed {
  readonly fault: Fault;
  readonly concerns: (identity: string) => boolean;
  readonly moment: (rpc: FaultedRpc) => Moment;
  /** How often it has struck each node; only of faults that have a limit. */
  readonly struck: Map<string, number>;
}

export class Faults {
  readonly #random: Random;
  readonly #onStrike: (strike: Strike) => void;
  readonly #onChange: (list: readonly Fault[]) => void;
  #armed: readonly Armed[] = [];

  /** @param list those in force from the start */
  constructor(
    { random, onStrike = () => {}, onChange = () => {} }: FaultsOptions,
    list: readonly Fault[] = [],
  ) {
    this.#random = random;
    this.#onStrike = onStrike;
    this.#onChange = onChange;
    this.#arm(list);
  }

  /** Those in force, in the order in which they are asked. */
  get list(): readonly Fault[] {
    return this.#armed.map(({ fault }) => fault);
  }

  /** From now on these are in force and no others; how often each has struck is counted from here. */
  set(list: readonly Fault[]): void {
    this.#arm(list);
    this.#onChange(list);
  }

  #arm(list: readonly Fault[]): void {
    this.#armed = list.map((fault) => ({
      fault,
      concerns: matcher(fault.identity),
      moment: (rpc) => momentOf(fault.effect, rpc),
      struck: new Map(),
    }));
  }

  /**
   * Called once for each call. Any number of effects DURING the work may strike it, each kind but delays once, and one
   * that ends it, the first in the list: the others are left for later calls.
   *
   * @returns what befalls this call, in the order of the list
   */
  strike(identity: string, rpc: FaultedRpc): readonly Effect[] {
    if (this.#armed.length === 0) return [];
    const struck = this.#chosen(identity, rpc);
    for (const armed of struck) {
      const { fault } = armed;
      if (fault.times !== Number.POSITIVE_INFINITY) {
        armed.struck.set(identity, (armed.struck.get(identity) ?? 0) + 1);
      }
      this.#onStrike({ identity, rpc, fault });
    }
    return struck.map(({ fault }) => fault.effect);
  }

  #chosen(identity: string, rpc: FaultedRpc): Armed[] {
    const chosen: Armed[] = [];
    const has = (is: (armed: Armed) => boolean) => chosen.some(is);
    for (const armed of this.#armed) {
      const { kind } = armed.fault.effect;
      const moment = armed.moment(rpc);
      if (moment !== 'DURING' && has((other) => other.moment(rpc) !== 'DURING')) continue;
      if (kind !== 'delay' && has(({ fault }) => fault.effect.kind === kind)) continue;
      if (this.#strikes(armed, identity, rpc)) chosen.push(armed);
    }
    // Where nothing is done, nothing is done otherwise.
    if (!has((armed) => armed.moment(rpc) === 'BEFORE')) return chosen;
    return chosen.filter((armed) => armed.moment(rpc) === 'BEFORE' || armed.fault.effect.kind === 'delay');
  }

  #strikes({ fault, concerns, struck }: Armed, identity: string, rpc: FaultedRpc): boolean {
    if (fault.rpc !== '*' && rpcOfWord[fault.rpc] !== rpc) return false;
    if (!concerns(identity)) return false;
    if ((struck.get(identity) ?? 0) >= fault.times) return false;
    return fault.probability >= 1 || this.#random() < fault.probability;
  }
}

/** @returns what tells which identities a pattern means */
export function matcher(pattern: string): (identity: string) => boolean {
  const [start = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return (identity) => identity === pattern;
  return (identity) => {
    if (!identity.startsWith(start)) return false;
    let at = start.length;
    for (const part of others) {
      const found = identity.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return identity.length - end.length >= at && identity.endsWith(end);
  };
}
