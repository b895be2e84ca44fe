// How provisioning went, by the provisioner's own events.

import type { Stack } from '../../../../cli/launch/stack.js';
import {
  type Event,
  type ListEventsResponse,
  ProvisioningEventServiceClient,
} from '../../../../shared/gen/slipway/provisioner/v1/events.js';
import { Outcome } from '../../../../shared/gen/slipway/provisioner/v1/host.js';
import { callUnary } from '../../../../shared/grpc/call.js';
import type { Times } from '../side.js';
import { withClient } from './connections.js';

const outcomeNames = new Map(Object.entries(Outcome).map(([name, value]): [number, string] => [value, name]));

export class Course {
  /** When nodes were queued first and confirmed: Unix milliseconds. */
  readonly queuedAt = new Map<string, number>();
  readonly confirmedAt = new Map<string, number>();
  readonly #runs = new Map<string, number>();
  readonly #outcomes = new Map<string, number>();
  #first = Number.POSITIVE_INFINITY;
  #lastRestart = 0;
  #lastConfirmed = 0;
  #retries = 0;
  #events = 0;

  take({ identity, time, details }: Event): void {
    const at = time?.getTime() ?? Number.NaN;
    this.#events += 1;
    switch (details?.$case) {
      case 'hostQueued':
        if (!this.queuedAt.has(identity)) this.queuedAt.set(identity, at);
        return;
      case 'runStarted':
        this.#first = Math.min(this.#first, at);
        this.#runs.set(identity, (this.#runs.get(identity) ?? 0) + 1);
        return;
      case 'stepFailed':
        this.#retries += 1;
        return;
      case 'runFinished': {
        const outcome = outcomeNames.get(details.value.outcome) ?? 'UNKNOWN';
        this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
        this.#lastRestart = Math.max(this.#lastRestart, at);
        return;
      }
      case 'nodeConfirmed':
        this.confirmedAt.set(identity, at);
        this.#lastConfirmed = Math.max(this.#lastConfirmed, at);
        return;
      default:
    }
  }

  get times(): Times {
    return { first: this.#first, lastRestart: this.#lastRestart, lastInService: this.#lastConfirmed };
  }

  /** Runs of nodes, attempts at steps that failed, and how runs ended. */
  get runs() {
    const counts = [...this.#runs.values()];
    return {
      nodes: counts.length,
      fewestPerNode: counts.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY),
      mostPerNode: counts.reduce((one, other) => Math.max(one, other), 0),
      failedAttempts: this.#retries,
      outcomes: Object.fromEntries(this.#outcomes),
      events: this.#events,
    };
  }
}

/** Reads all events that there are. */
export function readCourse(stack: Stack, tls: boolean): Promise<Course> {
  return withClient(ProvisioningEventServiceClient, stack, 'provisioner', tls, async (client) => {
    const course = new Course();
    let pageToken = '';
    do {
      const page: ListEventsResponse = await callUnary(
        client.listEvents.bind(client),
        { pageSize: 1000, pageToken, filter: undefined, newestFirst: false },
        { timeoutMs: 60_000 },
      );
      if (page.gaps.length > 0) throw new Error('the event log has a gap: not all was measured');
      for (const event of page.events) course.take(event);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return course;
  });
}
