// What goes wrong, and where: at the doors between the parts of the world, call by call. How a door carries a fault
// out is the door's matter (wire.ts, helper.ts, signing.ts).

import type { NodeRpc } from '../../../services/provisioner/run/node-client.js';

/** An RPC to a node, its reports to discovery, the helper's program, or the files that server tokens are signed with. */
export type Door = NodeRpc | 'Report' | 'Helper' | 'Signing';

export type Fault =
  /** It is under way and never arrives: nothing is done, and the connection breaks. */
  | { readonly kind: 'LOSE_REQUEST' }
  /** It is done, and the connection breaks before the answer is there. */
  | { readonly kind: 'LOSE_REPLY' }
  /** It arrives twice and is done twice; the second answer counts. */
  | { readonly kind: 'DUPLICATE' }
  /** Nothing is done, and no answer comes until the caller gives up. */
  | { readonly kind: 'HANG' }
  /** It is done, and no answer comes until the caller gives up. */
  | { readonly kind: 'HANG_AFTER' }
  /** It arrives once more, when the test says so. */
  | { readonly kind: 'REPEAT_LATER'; readonly keep: (again: () => Promise<void>) => void }
  /** It arrives so much later: milliseconds. */
  | { readonly kind: 'DELAY'; readonly ms: number }
  /** Something happens when the call ARRIVES, when its work is DONE, or when it is ANSWERED, before the caller goes on. */
  | { readonly kind: 'DO'; readonly when: 'ARRIVES' | 'DONE' | 'ANSWERED'; readonly act: () => unknown };

/** One call that came to a door. */
export interface DoorCall {
  /** Of the node, or `*` at the door of the signing files, which all nodes share. */
  readonly identity: string;
  readonly door: Door;
  /** Counted from 1, per node and door. */
  readonly nth: number;
}

export class Faults {
  readonly #planned = new Map<string, Fault[]>();
  readonly #counts = new Map<string, number>();
  /** Every call, in order. */
  readonly calls: DoorCall[] = [];
  /** Asked of each call for faults beside those that were planned: for tests that leave it to chance. */
  choose: (call: DoorCall) => readonly Fault[] = () => [];

  /** Plans what happens to the nth call from now on. */
  at(identity: string, door: Door, nth: number, ...faults: readonly Fault[]): void {
    const key = `${identity} ${door} ${this.count(identity, door) + nth}`;
    this.#planned.set(key, [...(this.#planned.get(key) ?? []), ...faults]);
  }

  /** Calls of a node that came to a door so far. */
  count(identity: string, door: Door): number {
    return this.#counts.get(`${identity} ${door}`) ?? 0;
  }

  /** Calls for which something was planned and that never came. */
  get unmet(): string[] {
    return [...this.#planned.keys()];
  }

  /** To be asked once by the door for each call that comes to it. */
  take(identity: string, door: Door): CallFaults {
    const nth = this.count(identity, door) + 1;
    const call = { identity, door, nth };
    this.#counts.set(`${identity} ${door}`, nth);
    this.calls.push(call);
    const key = `${identity} ${door} ${nth}`;
    const planned = this.#planned.get(key) ?? [];
    this.#planned.delete(key);
    return new CallFaults([...planned, ...this.choose(call)]);
  }
}

/** The faults of one call. */
export class CallFaults {
  readonly #faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  has(kind: Fault['kind']): boolean {
    return this.#faults.some((fault) => fault.kind === kind);
  }

  /** Milliseconds. */
  get delayMs(): number {
    return this.#faults.reduce((sum, fault) => sum + (fault.kind === 'DELAY' ? fault.ms : 0), 0);
  }

  /** Hands out what has the call done once more. */
  keepRepeat(again: () => Promise<void>): void {
    for (const fault of this.#faults) if (fault.kind === 'REPEAT_LATER') fault.keep(again);
  }

  /** Does what is to happen at this point of the call. */
  async happens(when: 'ARRIVES' | 'DONE' | 'ANSWERED'): Promise<void> {
    for (const fault of this.#faults) {
      if (fault.kind === 'DO' && fault.when === when) await fault.act();
    }
  }
}

/** What nobody ever answers. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
