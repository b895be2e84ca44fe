// What happened to the nodes of a stack, as its processes logged it: runs and how they ended, confirmations, the faults
// that struck.

import type { Stack } from '../../../cli/launch/stack.js';
import { type LogLine, linesOf } from '../../e2e/strangers/log.js';
import type { FirstOutcome } from '../table.js';

export interface NodeStory {
  /** How each run ended, in their order; `LOST` where nobody said. Failures have their reason. */
  readonly runs: readonly FirstOutcome[];
  /** Ids of the runs whose configuration it came up with, as often as that was said. */
  readonly confirmed: readonly string[];
  /** Faults of the mock node that struck it: `configure:hang`. */
  readonly struck: readonly string[];
  /** When the first of them did: Unix milliseconds; NaN where none did. */
  readonly struckAt: number;
  /** All that the provisioner and the node said of it, for people. */
  readonly told: string;
}

/** @returns what was said so far of the node */
export function storyOf(stack: Stack, identity: string): NodeStory {
  const ofNode = (service: 'provisioner' | 'mock-node') =>
    linesOf(stack.logFile(service)).filter((line) => line.identity === identity);
  const provisioner = ofNode('provisioner');
  const node = ofNode('mock-node');
  const strikes = node.filter(isStrike);
  const outcomes = new Map<unknown, FirstOutcome>();
  for (const line of provisioner) {
    if (line.msg === 'run started') outcomes.set(line.run_id, 'LOST');
    else if (isEnd(line)) outcomes.set(line.run_id, outcomeOf(line));
  }
  return {
    runs: [...outcomes.values()],
    confirmed: provisioner.filter(isConfirmation).map(({ run_id }) => String(run_id)),
    struck: strikes.map(({ rpc, fault }) => `${rpc}:${fault}`),
    struckAt: timeOf(strikes[0]),
    told: [...provisioner, ...node]
      .sort((one, other) => timeOf(one) - timeOf(other))
      .map((line) => JSON.stringify(line))
      .join('\n'),
  };
}

/** @returns true where a line says how a run ended */
export function isEnd({ msg }: LogLine): boolean {
  return msg.startsWith('run finished');
}

/** @returns true where a line says that a node came up with its configuration */
export function isConfirmation({ msg }: LogLine): boolean {
  return msg === 'node came up with its configuration';
}

function isStrike({ msg, fault }: LogLine): boolean {
  return msg.startsWith('fault: ') && fault !== undefined;
}

function outcomeOf({ outcome, reason }: LogLine): FirstOutcome {
  const failed = outcome === 'FAILED' || outcome === 'UPGRADE_FAILED';
  return (failed ? `FAILED ${reason}` : outcome) as FirstOutcome;
}

function timeOf(line: LogLine | undefined): number {
  return Date.parse(String(line?.time));
}
