// What became of the reports of many nodes, second by second.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from '../../../services/mock-node/reports/report.js';
import { RpcError, statusName } from '../../../shared/grpc/errors.js';

/** What happened since the one before it. */
export interface Tally {
  /** Unix milliseconds. */
  readonly at: number;
  readonly begun: number;
  readonly taken: number;
  /** Reports that did not get through, by what kept them: {@link failureOf}. */
  readonly failed: Readonly<Record<string, number>>;
  /** Reports that are under way, each on a connection of its own, and the most of them. */
  readonly underWay: number;
  readonly mostUnderWay: number;
  /** Nodes that had a report taken since the last mark. */
  readonly heard: number;
  /** How late this process was at the most: what it is late by is not discovery's doing. Milliseconds. */
  readonly lagMs: number;
}

export class ReportTally {
  readonly #lag = monitorEventLoopDelay({ resolution: 10 });
  readonly #heard = new Set<number>();
  #failed: Record<string, number> = {};
  #begun = 0;
  #taken = 0;
  #underWay = 0;
  #mostUnderWay = 0;

  constructor() {
    this.#lag.enable();
  }

  /** @returns the same registry, with its reports counted as those of the node with this number */
  counting(registry: Registry, node: number): Registry {
    return {
      report: async (report, signal) => {
        this.#begun++;
        this.#underWay++;
        this.#mostUnderWay = Math.max(this.#mostUnderWay, this.#underWay);
        try {
          const paceMs = await registry.report(report, signal);
          this.#taken++;
          this.#heard.add(node);
          return paceMs;
        } catch (error) {
          const why = failureOf(error);
          this.#failed[why] = (this.#failed[why] ?? 0) + 1;
          throw error;
        } finally {
          this.#underWay--;
        }
      },
    };
  }

  forgetHeard(): void {
    this.#heard.clear();
  }

  /** @returns what happened since this was last called */
  take(): Tally {
    const tally = {
      at: Date.now(),
      begun: this.#begun,
      taken: this.#taken,
      failed: this.#failed,
      underWay: this.#underWay,
      mostUnderWay: this.#mostUnderWay,
      heard: this.#heard.size,
      lagMs: Math.round(this.#lag.max / 1e6),
    };
    this.#begun = 0;
    this.#taken = 0;
    this.#failed = {};
    this.#mostUnderWay = this.#underWay;
    this.#lag.reset();
    return tally;
  }
}

/** Words of the system's errors that are about this machine, and not about discovery. */
const ownLimits = /EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM/;

/**
 * @returns discovery's reason; or `REFUSED`, nobody listened; `CLOSED`, it was closed before it was answered; `LATE` and
 *   `UNANSWERED`, nothing was connected or answered in time; `MACHINE`, a limit of this machine
 */
function failureOf(error: unknown): string {
  if (!(error instanceof RpcError)) return 'OTHER';
  if (error.reason !== '') return error.reason;
  if (ownLimits.test(error.message)) return 'MACHINE';
  const code = statusName(error.code);
  if (code === 'DEADLINE_EXCEEDED') return error.neverConnected ? 'LATE' : 'UNANSWERED';
  if (code !== 'UNAVAILABLE') return code;
  return error.message.includes('ECONNREFUSED') ? 'REFUSED' : 'CLOSED';
}
