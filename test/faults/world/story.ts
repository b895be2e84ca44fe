// What happened in the world, as its provisioners told it: the runs of each node and how they ended, confirmations,
// and whatever contradicts itself.

import type { EventSink, ProvisioningEvent } from '../../../services/provisioner/events/event.js';
import type { OutcomeKind } from '../../../services/provisioner/run/outcome.js';
import type { Clock } from '../../../shared/clock.js';
import type { Identity, RunId } from '../../../shared/identity.js';

/** One run of one node. */
export interface RunStory {
  readonly runId: RunId;
  /** Which life of the provisioner it was of, from 1. */
  readonly life: number;
  /** Undefined while it goes on, and where it was lost with its process. */
  outcome: OutcomeKind | undefined;
  /** Empty for outcomes that have none. */
  reason: string;
  message: string;
  /** `STEP` for each that was completed, `STEP code reason` for each attempt that failed. */
  readonly steps: string[];
}

/** A confirmation of a node. */
export interface ConfirmationStory {
  readonly runId: RunId;
  /** Which life of the provisioner told of it. */
  readonly life: number;
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly onItsOwnWord: boolean;
}

export interface NodeStory {
  readonly runs: RunStory[];
  readonly confirmations: ConfirmationStory[];
  /** Every event of the node but for its steps, in words. */
  readonly lines: string[];
}

/** For so long a provisioner knows whom it confirmed (design, section 6): milliseconds. */
const rememberedMs = 3_600_000;

export class Story {
  /** Every event of every life. */
  readonly events: ProvisioningEvent[] = [];
  /** What must never be: two runs of a node at once, a run that ends twice, a node that is confirmed twice for a run. */
  readonly problems: string[] = [];
  /** Told of every event at once, and by which life. */
  listen: (event: ProvisioningEvent, life: number) => void = () => {};
  readonly #clock: Clock;
  readonly #nodes = new Map<string, NodeStory>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(identity: string): NodeStory {
    const known = this.#nodes.get(identity) ?? { runs: [], confirmations: [], lines: [] };
    this.#nodes.set(identity, known);
    return known;
  }

  /** @returns what the provisioner of a life tells its events to */
  sink(life: number): EventSink {
    return {
      publish: (event) => {
        this.events.push(event);
        if ('identity' in event) this.#take(event, life);
        this.listen(event, life);
      },
    };
  }

  #take(event: Extract<ProvisioningEvent, { readonly identity: Identity }>, life: number): void {
    const node = this.of(event.identity);
    const line = lineOf(event);
    if (line !== undefined) node.lines.push(line);
    switch (event.type) {
      case 'RUN_STARTED':
        this.#started(node, event, life);
        return;
      case 'RUN_FINISHED':
        this.#finished(node, event, life);
        return;
      case 'STEP_COMPLETED':
      case 'STEP_FAILED':
        node.runs.find(({ runId }) => runId === event.runId)?.steps.push(stepOf(event));
        return;
      case 'NODE_CONFIRMED':
        this.#confirmed(node, event, life);
    }
  }

  #confirmed(node: NodeStory, { identity, runId, onItsOwnWord }: Told<'NODE_CONFIRMED'>, life: number): void {
    const at = this.#clock.monotonic();
    const isRemembered = (told: ConfirmationStory) => told.life === life && at - told.at < rememberedMs;
    if (node.confirmations.some((told) => told.runId === runId && isRemembered(told))) {
      this.problems.push(`${identity}: run ${runId} is confirmed once more`);
    }
    node.confirmations.push({ runId, life, at, onItsOwnWord });
  }

  #started(node: NodeStory, { identity, runId }: Told<'RUN_STARTED'>, life: number): void {
    const goesOn = node.runs.find((run) => run.life === life && run.outcome === undefined);
    if (goesOn !== undefined) this.problems.push(`${identity}: ${runId} began while ${goesOn.runId} went on`);
    node.runs.push({ runId, life, outcome: undefined, reason: '', message: '', steps: [] });
  }

  #finished(node: NodeStory, event: Told<'RUN_FINISHED'>, life: number): void {
    const run = node.runs.find(({ runId }) => runId === event.runId);
    if (run === undefined || run.life !== life) {
      this.problems.push(`${event.identity}: ${event.runId} ended and had not begun`);
      return;
    }
    if (run.outcome !== undefined) this.problems.push(`${event.identity}: ${event.runId} ended twice`);
    run.outcome = event.outcome;
    run.reason = event.reason;
    run.message = event.message;
  }
}

type Told<T extends ProvisioningEvent['type']> = Extract<ProvisioningEvent, { readonly type: T }>;

function stepOf(event: Told<'STEP_COMPLETED'> | Told<'STEP_FAILED'>): string {
  if (event.type === 'STEP_COMPLETED') return event.step;
  return [event.step, event.code, event.reason].filter((word) => word !== '').join(' ');
}

function lineOf(event: ProvisioningEvent): string | undefined {
  switch (event.type) {
    case 'STEP_COMPLETED':
    case 'STEP_FAILED':
      return stepOf(event);
    case 'RUN_FINISHED':
      return [event.type, event.outcome, event.reason, event.message, event.nextState]
        .filter(Boolean)
        .join(' ');
    case 'HOST_QUEUED':
    case 'HOST_RELEASED':
      return `${event.type} ${event.cause}`;
    default:
      return event.type;
  }
}
