// The hosts of one life of a provisioner, as who reads nothing but its events would have them; and whether its fleet
// agrees.

import type { NextState, ProvisioningEvent } from '../../../services/provisioner/events/event.js';
import { type HostState, hostStates } from '../../../services/provisioner/fleet/admission.js';
import type { FleetStatus } from '../../../services/provisioner/fleet/fleet.js';
import type { OutcomeKind } from '../../../services/provisioner/run/outcome.js';

/** Design, section 5: where an outcome may send a host. */
const mayFollow: Readonly<Record<OutcomeKind, readonly NextState[]>> = {
  PROVISIONED: ['HELD'],
  UPGRADED: ['RELEASED'],
  SHUT_DOWN: ['HELD'],
  DEFERRED: ['RELEASED', 'BACKING_OFF'],
  UPGRADE_FAILED: ['HELD', 'BACKING_OFF', 'RELEASED'],
  FAILED: ['RELEASED', 'BACKING_OFF'],
  SKIPPED_STALE: ['RELEASED'],
  SUPERSEDED: ['QUEUED', 'HELD', 'BACKING_OFF', 'RELEASED'],
  CANCELLED: ['QUEUED', 'RELEASED'],
};

/** Where an event may find its host; UNKNOWN is one that is not known. */
const from = {
  HOST_QUEUED: ['UNKNOWN', 'HELD', 'BACKING_OFF'],
  RUN_STARTED: ['QUEUED'],
  RUN_FINISHED: ['RUNNING'],
} as const;

export class HostLedger {
  readonly problems: string[] = [];
  readonly #hosts = new Map<string, HostState>();
  /** Hosts whose run was told to send them back into the queue, or away, which is told next. */
  readonly #announced = new Map<string, NextState>();

  take(event: ProvisioningEvent): void {
    switch (event.type) {
      case 'HOST_QUEUED':
        this.#expect(event, from.HOST_QUEUED);
        this.#hosts.set(event.identity, 'QUEUED');
        this.#announced.delete(event.identity);
        return;
      case 'RUN_STARTED':
        this.#expect(event, from.RUN_STARTED);
        this.#hosts.set(event.identity, 'RUNNING');
        return;
      case 'RUN_FINISHED':
        this.#expect(event, from.RUN_FINISHED);
        this.#finished(event);
        return;
      case 'HOST_RELEASED':
        if (!this.#hosts.delete(event.identity))
          this.#tell(`${event.identity} is released, and was not known`);
        this.#announced.delete(event.identity);
        return;
      case 'PROVISION_LOOP':
        if (['UNKNOWN', 'HELD'].includes(this.#at(event.identity))) {
          this.#hosts.set(event.identity, 'BACKING_OFF');
        }
    }
  }

  /** To be asked when nothing moves. */
  compare({ hosts, queued, busyWorkers }: FleetStatus): void {
    for (const [identity, next] of this.#announced)
      this.#tell(`${identity} was to be ${next}, and nothing came`);
    for (const state of hostStates) {
      const told = [...this.#hosts.values()].filter((it) => it === state).length;
      if (told !== hosts[state])
        this.#tell(`by its events ${told} hosts are ${state}, by its status ${hosts[state]}`);
    }
    if (queued !== hosts.QUEUED) this.#tell(`${hosts.QUEUED} hosts are QUEUED, and ${queued} in the queue`);
    if (busyWorkers !== hosts.RUNNING) this.#tell(`${hosts.RUNNING} hosts run on ${busyWorkers} workers`);
  }

  /** Who is known, and how. */
  get told(): string {
    return [...this.#hosts].map(([identity, state]) => `${identity} ${state}`).join(', ');
  }

  #finished({
    identity,
    outcome,
    reason,
    nextState,
    nextStateMs,
  }: Extract<ProvisioningEvent, { readonly type: 'RUN_FINISHED' }>): void {
    if (!mayFollow[outcome].includes(nextState)) this.#tell(`${identity}: ${nextState} follows ${outcome}`);
    const hasReason = outcome === 'FAILED' || outcome === 'UPGRADE_FAILED';
    if (hasReason !== (reason !== '')) this.#tell(`${identity}: ${outcome} for the reason '${reason}'`);
    if (nextState === 'HELD' || nextState === 'BACKING_OFF') {
      if (!(nextStateMs !== undefined && nextStateMs > 0))
        this.#tell(`${identity}: ${nextState} without an end`);
      this.#hosts.set(identity, nextState);
    } else {
      this.#announced.set(identity, nextState);
    }
  }

  #at(identity: string): HostState | 'UNKNOWN' {
    return this.#hosts.get(identity) ?? 'UNKNOWN';
  }

  #expect(
    event: { readonly type: keyof typeof from; readonly identity: string },
    states: readonly string[],
  ): void {
    const at = this.#at(event.identity);
    const isAnnounced = this.#announced.has(event.identity);
    if (states.includes(at) || (isAnnounced && event.type === 'HOST_QUEUED')) return;
    this.#tell(`${event.identity}: ${event.type} while it is ${at}`);
  }

  #tell(problem: string): void {
    if (!this.problems.includes(problem)) this.problems.push(problem);
  }
}
