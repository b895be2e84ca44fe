// Discovery's gate, load and pace as they are, on a processor that is modelled: each connection that is let in costs the same
// time, whether its node still waits for the answer or not.

import { EventEmitter } from 'node:events';
import { status } from '@grpc/grpc-js';
import { type Expiring, Expiry, unscheduled } from '../../../services/discovery/leases/expiry.js';
import { Load } from '../../../services/discovery/reports/load.js';
import { Pace } from '../../../services/discovery/reports/pace.js';
import type { Registry } from '../../../services/mock-node/reports/report.js';
import type { Clock } from '../../../shared/clock.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { Gate } from '../../../shared/grpc/gate.js';

/** What a fresh TLS connection and its report cost: milliseconds. */
const costMs = 3;

/** As nodes have it. */
const timeoutMs = 5_000;

class Connection extends EventEmitter {
  open = true;

  destroy(): void {
    if (!this.open) return;
    this.open = false;
    this.emit('close');
  }
}

interface Lease extends Expiring {
  readonly node: number;
}

/** What happened in one second. */
export interface Second {
  begun: number;
  taken: number;
  closed: number;
}

export class ModelledDiscovery {
  readonly seconds: Second[] = [];
  expired = 0;
  readonly #clock: Clock;
  #up = true;
  #life = 0;
  #leases = new Map<number, Lease>();
  #expiry: Expiry<Lease>;
  #load: Load;
  #pace: Pace;
  #gate: Gate<Connection>;
  #busyUntil = 0;
  #busyMs = 0;
  readonly #answers = new WeakMap<Connection, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#load = new Load(() => this.#takeBusyMs());
    this.#expiry = new Expiry(clock);
    this.#pace = this.#newPace();
    this.#gate = this.#newGate();
    this.#tick();
  }

  get known(): number {
    return this.#leases.size;
  }

  kill(): void {
    this.#up = false;
    this.#life++;
    this.#leases.clear();
    this.#expiry = new Expiry(this.#clock);
    this.#gate.close();
  }

  /** Nothing is known any more. */
  restart(): void {
    this.#up = true;
    this.#load = new Load(() => this.#takeBusyMs());
    this.#expiry = new Expiry(this.#clock);
    this.#pace = this.#newPace();
    this.#gate = this.#newGate();
    this.#busyUntil = 0;
  }

  /** @returns where one node reports to */
  as(node: number): Registry {
    return {
      report: () =>
        new Promise((resolve, reject) => {
          this.#second.begun++;
          const fail = (code: status, retryAfterMs?: number) =>
            reject(new RpcError(code, 'no', { neverConnected: true, retryAfterMs }));
          if (!this.#up) {
            fail(status.UNAVAILABLE);
            return;
          }
          const connection = new Connection();
          const timer = this.#clock.setTimer(timeoutMs, () => {
            connection.destroy();
            fail(status.DEADLINE_EXCEEDED);
          });
          connection.once('close', () => {
            timer.cancel();
            fail(status.UNAVAILABLE);
          });
          this.#answers.set(connection, () => {
            const answer = this.#answer(node);
            if (typeof answer === 'number') resolve(answer);
            else fail(status.RESOURCE_EXHAUSTED, answer.retryAfterMs);
            connection.destroy();
          });
          this.#gate.enter(connection);
        }),
    };
  }

  #answer(node: number): number | { readonly retryAfterMs: number } {
    this.#load.answered();
    let lease = this.#leases.get(node);
    const { nextReportMs, leaseMs } = this.#pace.reply(this.#leases.size);
    const retryAfterMs = this.#pace.admit(lease !== undefined && this.#expiry.remaining(lease) < leaseMs / 3);
    if (retryAfterMs !== undefined) return { retryAfterMs };
    this.#second.taken++;
    lease ??= { node, expiresAt: 0, bucket: unscheduled };
    this.#leases.set(node, lease);
    this.#expiry.schedule(lease, leaseMs);
    return nextReportMs;
  }

  #serve(connection: Connection): void {
    const now = this.#clock.monotonic();
    this.#busyUntil = Math.max(this.#busyUntil, now) + costMs;
    const life = this.#life;
    this.#clock.setTimer(this.#busyUntil - now, () => {
      if (life !== this.#life) return;
      this.#busyMs += costMs;
      if (connection.open) this.#answers.get(connection)?.();
    });
  }

  #takeBusyMs(): number {
    const busyMs = this.#busyMs;
    this.#busyMs = 0;
    return busyMs;
  }

  #tick(): void {
    this.seconds.push({ begun: 0, taken: 0, closed: 0 });
    this.#load.tick();
    this.#expiry.tick(({ node }) => {
      this.#leases.delete(node);
      this.expired++;
    }, this.#load.crowded);
    this.#clock.setTimer(1000, () => this.#tick());
  }

  get #second(): Second {
    return this.seconds.at(-1) ?? { begun: 0, taken: 0, closed: 0 };
  }

  #newPace(): Pace {
    return new Pace(this.#clock, { reportIntervalMs: 10_000, maxReportsPerSecond: 500 }, this.#load);
  }

  #newGate(): Gate<Connection> {
    return new Gate<Connection>(
      {
        clock: this.#clock,
        atOnce: { fewest: 48, most: 256 },
        sourceOf: () => '',
        turnedAway: () => {
          this.#second.closed++;
          this.#load.turnedAway();
        },
      },
      (connection) => this.#serve(connection),
    );
  }
}
