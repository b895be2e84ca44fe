// The records of the fleet, and every way from one state to another: queue, counts and deadlines cannot
// disagree with a host's state, because only this file moves them. When to move is decided elsewhere.

import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { EventSink, QueueCause, ReleaseCause } from '../events/event.js';
import type { RunInProgress } from '../run/run.js';
import type { HostState } from './admission.js';
import { Deadlines } from './deadlines.js';
import { Drops } from './drops.js';
import type { Host, HostStanding } from './host.js';
import { OrderedNames } from './ordered-names.js';
import { releaseMessages } from './release-messages.js';
import { WaitingLine } from './waiting-line.js';

export interface HostsOptions {
  readonly clock: Clock;
  readonly sink: EventSink;
  readonly queueLimit: number;
  /** Told of each host that is forgotten, while it still is as it was. */
  readonly forgetting?: (host: Host, cause: ReleaseCause) => void;
}

export class Hosts {
  readonly #clock: Clock;
  readonly #sink: EventSink;
  readonly #forgetting: HostsOptions['forgetting'];
  readonly #records = new Map<Identity, Host>();
  readonly #names = new OrderedNames<Identity>();
  readonly #counts: Record<HostState, number> = { QUEUED: 0, RUNNING: 0, HELD: 0, BACKING_OFF: 0 };
  readonly #queue: WaitingLine;
  readonly #deadlines: Deadlines;
  readonly #drops: Drops;

  constructor(options: HostsOptions) {
    this.#forgetting = options.forgetting;
    this.#clock = options.clock;
    this.#sink = options.sink;
    this.#queue = new WaitingLine(options.queueLimit);
    this.#deadlines = new Deadlines(options.clock);
    this.#drops = new Drops(options.clock, options.sink);
  }

  get(identity: Identity): Host | undefined {
    return this.#records.get(identity);
  }

  /** The identities of all hosts in order, from `start` on. Not to be used across changes. */
  identitiesFrom(start: string): Iterable<Identity> {
    return this.#names.from(start);
  }

  /** The hosts that wait, in the order of their turns as things are. Not to be used across changes. */
  queuedInTurn(): Iterable<Host> {
    return this.#queue.inTurn();
  }

  get counts(): Readonly<Record<HostState, number>> {
    return this.#counts;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Whether another host fits the queue. */
  get fits(): boolean {
    return this.#queue.fits;
  }

  /** Milliseconds for which the oldest in line has waited; 0 where none waits. */
  get oldestQueuedMs(): number {
    const oldest = this.#queue.oldest;
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.queuedAt;
  }

  /** Records a node and queues it. One that does not fit is not recorded, but counted as dropped. */
  admit(host: Host, cause: QueueCause = 'ADMITTED'): void {
    if (!this.#queue.fits) {
      this.#drops.add(host.identity);
      return;
    }
    this.#record(host);
    this.#line(host, 'TAIL', cause);
  }

  /** Records a node that is to back off before it may be queued. */
  admitBackingOff(host: Host, ms: number, over: () => void): void {
    this.#record(host);
    this.backOff(host, ms, over);
  }

  /** Queues a host whose hold or backing off is over. One that does not fit is released and counted. */
  requeue(host: Host, cause: QueueCause): void {
    if (!this.#queue.fits) {
      this.#drops.add(host.identity);
      this.release(host, 'QUEUE_FULL');
      return;
    }
    this.#line(host, 'TAIL', cause);
  }

  /** Queues a host that comes back from a run: it always fits. */
  requeueFromRun(host: Host, at: 'HEAD' | 'TAIL', cause: QueueCause): void {
    this.#line(host, at, cause);
  }

  /** Takes the next host from the queue. Whoever calls runs, holds or releases it in the same turn. */
  take(): Host | undefined {
    return this.#queue.take();
  }

  run(host: Host, run: RunInProgress): void {
    this.#move(host, { kind: 'RUNNING', run, boot: host.node.bootId });
  }

  hold(host: Host, ms: number): void {
    // What was fetched serves no more: a hold ends with a release or with another boot.
    host.fetched = undefined;
    const end = this.#deadlines.after(ms, () => this.release(host, 'HOLD_OVER'));
    this.#move(host, { kind: 'HELD', end });
  }

  backOff(host: Host, ms: number, over: () => void): void {
    this.#move(host, { kind: 'BACKING_OFF', end: this.#deadlines.after(ms, over) });
  }

  release(host: Host, cause: ReleaseCause): void {
    this.#forgetting?.(host, cause);
    this.#leave(host);
    this.#counts[host.standing.kind] -= 1;
    this.#records.delete(host.identity);
    this.#names.delete(host.identity);
    const message = releaseMessages[cause];
    this.#sink.publish({ type: 'HOST_RELEASED', identity: host.identity, cause, message });
  }

  #record(host: Host): void {
    this.#records.set(host.identity, host);
    this.#names.add(host.identity);
    this.#counts[host.standing.kind] += 1;
  }

  #line(host: Host, at: 'HEAD' | 'TAIL', cause: QueueCause): void {
    this.#move(host, { kind: 'QUEUED' });
    if (at === 'TAIL') {
      host.queuedAt = this.#clock.monotonic();
      this.#queue.pushTail(host);
    } else {
      this.#queue.giveBack(host);
    }
    const { address, bootId } = host.node;
    this.#sink.publish({ type: 'HOST_QUEUED', identity: host.identity, cause, address, bootId });
  }

  #move(host: Host, to: HostStanding): void {
    this.#leave(host);
    this.#counts[host.standing.kind] -= 1;
    this.#counts[to.kind] += 1;
    host.standing = to;
    host.since = this.#clock.monotonic();
  }

  /** Undoes what a state holds on to. */
  #leave(host: Host): void {
    const standing = host.standing;
    switch (standing.kind) {
      case 'QUEUED':
        this.#queue.remove(host);
        return;
      case 'RUNNING':
        return;
      case 'HELD':
      case 'BACKING_OFF':
        standing.end.cancel();
    }
  }
}
