// The faults that a mock node was ordered: those of its flags and those of its file, in force together, and what its
// log says of them.

import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import { type EffectKind, type Fault, rpcWordOf } from './fault.js';
import { FaultFile } from './fault-file.js';
import { Faults, matcher, type Strike } from './faults.js';
import { Injection } from './injection.js';
import { formatEffect, formatFaults } from './parse.js';

export interface OrdersOptions {
  /** Of the flags. */
  readonly faults: readonly Fault[];
  /** Absolute. */
  readonly file: string | undefined;
  /** Of the nodes that are played. */
  readonly identities: readonly Identity[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Told of each fault that strikes. */
  readonly onStrike: (kind: EffectKind) => void;
}

export interface Orders {
  readonly faults: Faults;
  readonly injection: Injection;
  /** Reads the file now, where there is one. */
  readFile(): Promise<void>;
  /** Nothing hangs, or is delayed, any more. */
  close(): void;
}

/** @throws StartError where the file cannot be used */
export async function openOrders(options: OrdersOptions): Promise<Orders> {
  const { faults: ofFlags, file: path, identities, clock, random, log, onStrike } = options;
  const file =
    path === undefined
      ? undefined
      : await FaultFile.open({
          path,
          clock,
          onChange: (ofFile) => faults.set([...ofFlags, ...ofFile]),
          warn: (message) => log.warn(message),
        });
  const faults: Faults = new Faults(
    {
      random,
      onStrike: (strike) => {
        sayOf(strike, log);
        onStrike(strike.fault.effect.kind);
      },
      onChange: (list) => {
        log.info(`faults: ${formatFaults(list)}`);
        warnOfNobody(list, identities, log);
      },
    },
    [...ofFlags, ...(file?.faults ?? [])],
  );
  if (faults.list.length > 0) {
    log.warn(`faults are in force, and nodes misbehave as they say: ${formatFaults(faults.list)}`);
    warnOfNobody(faults.list, identities, log);
  }
  const injection = new Injection(clock);
  return {
    faults,
    injection,
    readFile: async () => await file?.refresh(),
    close: () => {
      file?.close();
      injection.close();
    },
  };
}

/** A name that is mistyped would otherwise look like a fault that never came about. */
function warnOfNobody(list: readonly Fault[], identities: readonly Identity[], log: Logger): void {
  if (list.every(({ identity }) => identity === '*')) return;
  const names = new Set<string>(identities);
  const isNobody = (name: string) =>
    name.includes('*') ? !identities.some(matcher(name)) : !names.has(name);
  const idle = list.filter(({ identity }) => isNobody(identity));
  if (idle.length === 0) return;
  const [first = ''] = identities;
  const others =
    identities.length > 1 ? `, and the first of ${identities.length} nodes here is` : '; this one is';
  log.warn(
    `faults that strike nobody: ${formatFaults(idle)}: no node here has such a name${others} ${first}`,
  );
}

function sayOf({ identity, rpc: name, fault }: Strike, log: Logger): void {
  const rpc = rpcWordOf(name);
  const effect = formatEffect(fault.effect);
  log.info({ identity, rpc, fault: effect }, `fault: ${rpc}:${effect}`);
}
