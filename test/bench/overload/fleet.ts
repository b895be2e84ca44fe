// A fleet whose nodes only report, played by as many processes as the files allow that one may have open.

import { join } from 'node:path';
import type { Stack } from '../../../cli/launch/stack.js';
import { Program } from '../measure/program.js';
import type { FleetPlan } from '../programs/reporting-fleet.js';
import type { Tally } from './report-tally.js';

/** Each may have a connection open. */
const nodesPerProcess = 12_500;

export class ReportingFleet {
  readonly #programs: readonly Program[];
  readonly #tallies: Tally[] = [];
  /** What each process said last. */
  readonly #last: Tally[] = [];

  private constructor(programs: readonly Program[]) {
    this.#programs = programs;
  }

  /** The nodes are there when this resolves, and have not begun. */
  static async prepare(stack: Stack, nodes: number, tls: boolean): Promise<ReportingFleet> {
    const { ports, trust } = stack;
    const count = Math.ceil(nodes / nodesPerProcess);
    const programs = Array.from({ length: count }, (_, index) => {
      const [first, next] = [index, index + 1].map((part) => Math.round((part * nodes) / count));
      const plan: FleetPlan = {
        discovery: `127.0.0.1:${ports.nodes}`,
        first: first ?? 0,
        nodes: (next ?? 0) - (first ?? 0),
        tls,
        tokenFile: trust?.provisioningToken,
        caFile: tls && trust ? join(trust.certificates, 'ca.pem') : undefined,
        listen: index === 0 ? ports.swarm : undefined,
        port: ports.swarm,
      };
      return new Program('bench/programs/reporting-fleet.ts', [JSON.stringify(plan)]);
    });
    for (const program of programs) await program.line();
    return new ReportingFleet(programs);
  }

  /** All nodes report as soon as they can. */
  begin(): void {
    for (const [index, program] of this.#programs.entries()) {
      program.say('BEGIN');
      void this.#follow(program, index);
    }
  }

  /** Counts anew which nodes were heard. */
  mark(): void {
    for (const program of this.#programs) program.say('MARK');
  }

  /** Nodes that had a report taken since the mark. */
  get heard(): number {
    return this.#last.reduce((sum, { heard }) => sum + heard, 0);
  }

  /** @returns what each process said since this was last called, once a second */
  take(): Tally[] {
    return this.#tallies.splice(0);
  }

  kill(): void {
    for (const program of this.#programs) program.kill();
  }

  async #follow(program: Program, index: number): Promise<void> {
    try {
      for (;;) {
        const tally = await program.json<Tally>();
        this.#last[index] = tally;
        this.#tallies.push(tally);
      }
    } catch {
      // It was killed: nobody asks for more.
    }
  }
}
