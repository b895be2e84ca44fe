// The faults that a mock node was ordered: those of its flags and those of its file, in force together, and what its
// log says of them.

import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import { type EffectKind, type Fault, rpcWordOf } from './fault.js';
import { FaultFile } from './fault-file.js';
import { Faults, type Strike } from './faults.js';
import { Injection } from './injection.js';
import { formatEffect, formatFaults } from './parse.js';

export interface OrdersOptions {
  /** Of the flags. */
  readonly faults: readonly Fault[];
  /** Absolute. */
  readonly file: string | undefined;
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
  const { faults: ofFlags, file: path, clock, random, log, onStrike } = options;
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
      onChange: (list) => log.info(`faults: ${formatFaults(list)}`),
    },
    [...ofFlags, ...(file?.faults ?? [])],
  );
  if (faults.list.length > 0) {
    log.warn(`faults are in force, and nodes misbehave as they say: ${formatFaults(faults.list)}`);
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

function sayOf({ identity, rpc: name, fault }: Strike, log: Logger): void {
  const rpc = rpcWordOf(name);
  const effect = formatEffect(fault.effect);
  log.info({ identity, rpc, fault: effect }, `fault: ${rpc}:${effect}`);
}
