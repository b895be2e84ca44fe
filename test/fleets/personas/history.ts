// What the provisioner and the swarm have told of each node, read from their logs. What to think of it is others'
// matter.

import type { Stack } from '../../../cli/launch/stack.js';
import { type LogLine, linesOf } from '../../e2e/strangers/log.js';

/** A run that has ended; times are Unix milliseconds. */
export interface FinishedRun {
  readonly runId: string;
  readonly outcome: string;
  /** Empty where it did not fail. */
  readonly reason: string;
  readonly message: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface Conflict {
  /** Unix milliseconds. */
  readonly at: number;
  /** Of the machine that has the name. */
  readonly address: string;
  readonly newcomerAddress: string;
}

/** The name went to a machine elsewhere, since the one that had it did not answer. */
export interface Move {
  /** Unix milliseconds. */
  readonly at: number;
  /** Of the machine that has the name now. */
  readonly address: string;
}

/** A fault that struck a call to a node. */
export interface Strike {
  readonly at: number;
  readonly rpc: string;
  readonly fault: string;
}

/** What was told of one identity. */
export class Told {
  /** In the order of their ends. */
  readonly runs: FinishedRun[] = [];
  /** Of each confirmed run, in which lives of the provisioner that was said. */
  readonly confirmations = new Map<string, number[]>();
  /** Runs whose confirmation was missed. */
  readonly missed: string[] = [];
  readonly conflicts: Conflict[] = [];
  readonly moves: Move[] = [];
  readonly strikes: Strike[] = [];
  loops = 0;

  /** @returns how often each reason was told; that a confirmation was missed is one */
  get reasons(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { reason } of this.runs) if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1);
    if (this.missed.length > 0) counts.set('CONFIRMATION_MISSED', this.missed.length);
    return counts;
  }
}

/** @returns when a run started, as its id has it: Unix milliseconds */
export function startOf(runId: string): number {
  return Number.parseInt(runId.replace('-', '').slice(0, 12), 16);
}

export class History {
  readonly #told = new Map<string, Told>();
  /** How often the provisioner was started. */
  lives = 0;
  /** Errors that a service has logged, but for their times. */
  readonly errors: string[] = [];

  static read(stack: Stack): History {
    const history = new History();
    for (const line of linesOf(stack.logFile('provisioner'))) history.#takeProvisioners(line);
    for (const line of linesOf(stack.logFile('mock-node'))) history.#takeSwarms(line);
    for (const line of linesOf(stack.logFile('discovery'))) history.#takeDiscoverys(line);
    return history;
  }

  /** @returns what was told of an identity, if only that it is nothing */
  of(identity: string): Told {
    const known = this.#told.get(identity) ?? new Told();
    this.#told.set(identity, known);
    return known;
  }

  get identities(): Iterable<string> {
    return this.#told.keys();
  }

  #takeProvisioners(line: LogLine): void {
    this.#takeError(line);
    if (line.msg === 'starting') this.lives++;
    if (typeof line.identity !== 'string') return;
    const told = this.of(line.identity);
    const runId = String(line.run_id);
    switch (line.msg) {
      case 'node came up with its configuration':
        told.confirmations.set(runId, [...(told.confirmations.get(runId) ?? []), this.lives]);
        return;
      case 'node did not say that it came up with its configuration':
        told.missed.push(runId);
        return;
      case 'node keeps coming back unprovisioned':
        told.loops++;
        return;
      case 'two machines speak in the name of one node':
        told.conflicts.push({
          at: timeOf(line),
          address: String(line.address),
          newcomerAddress: String(line.newcomer_address),
        });
        return;
    }
    if (!line.msg.startsWith('run finished: ')) return;
    told.runs.push({
      runId,
      outcome: String(line.outcome),
      reason: String(line.reason ?? ''),
      message: String(line.message ?? ''),
      startedAt: startOf(runId),
      endedAt: timeOf(line),
    });
  }

  #takeDiscoverys(line: LogLine): void {
    this.#takeError(line);
    if (!line.msg.startsWith('a node is at another address')) return;
    this.of(String(line.identity)).moves.push({ at: timeOf(line), address: String(line.address) });
  }

  #takeSwarms(line: LogLine): void {
    this.#takeError(line);
    if (!line.msg.startsWith('fault: ')) return;
    this.of(String(line.identity)).strikes.push({
      at: timeOf(line),
      rpc: String(line.rpc),
      fault: String(line.fault),
    });
  }

  #takeError({ level, service, msg, identity, err }: LogLine): void {
    if (level !== 'error' && level !== 'fatal') return;
    this.errors.push(`${service}: ${identity ?? ''} ${msg} ${JSON.stringify(err ?? '')}`);
  }
}

function timeOf({ time }: LogLine): number {
  return Date.parse(String(time));
}
