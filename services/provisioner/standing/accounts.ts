// What can be told of a host: where it stands, its past, and what it waits for. Brings the fleet's own record together
// with what is remembered beside it.

import type { Clock } from '../../../shared/clock.js';
import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import type { StepName } from '../events/event.js';
import type { HostState } from '../fleet/admission.js';
import type { HostQuery, HostView, Roster } from '../fleet/roster.js';
import type { History } from './history.js';
import { mostRuns, type Past, type RunRecord } from './past.js';
import { withRecalled } from './recalled.js';
import type { Circumstances, Standing, Wait } from './waits/wait.js';
import { waitsOf } from './waits/waits.js';

/** A host as it is told of. Of one that is RELEASED it is what was last known. Times are Unix milliseconds. */
export interface HostAccount {
  readonly identity: Identity;
  readonly state: HostState | 'RELEASED';
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly address: string;
  readonly bootId: BootId | undefined;
  readonly version: string;
  /** Hex; empty where the node has none. */
  readonly certificateSha256: string;
  readonly discovery: string;
  readonly admittedAt: number | undefined;
  readonly lastSightedAt: number | undefined;
  /** 1 for the next; 0 where it is not queued. */
  readonly queuePlace: number;
  readonly runId: RunId | undefined;
  readonly step: StepName | undefined;
  readonly failuresInRow: number;
  /** The last that has ended. */
  readonly lastRun: RunRecord | undefined;
}

/** What became of a run's confirmation, and when, or when it is given up. */
export interface ConfirmationAccount {
  readonly state: 'PENDING' | 'CONFIRMED' | 'MISSED';
  readonly at: number | undefined;
}

export interface RunAccount extends RunRecord {
  /** What it has taken so far, where it goes on; undefined where it was broken off. */
  readonly durationMs: number | undefined;
  /** Undefined where the run asks for none. */
  readonly confirmed: ConfirmationAccount | undefined;
}

/** All that is told of one host. */
export interface FullAccount {
  readonly host: HostAccount;
  /** What decides first. */
  readonly waits: readonly Wait[];
  /** Newest first. */
  readonly runs: readonly RunAccount[];
}

/** A confirmation that is waited for. */
export interface PendingConfirmation {
  /** Undefined while the run goes on. */
  readonly until: number | undefined;
}

export interface AccountsOptions {
  readonly clock: Clock;
  readonly roster: () => Roster;
  readonly history: History;
  /** The confirmation of a run, where it is still waited for. */
  readonly pendingConfirmation: (runId: RunId) => PendingConfirmation | undefined;
  readonly circumstances: () => Circumstances;
}

export class Accounts {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /** Known hosts, ordered by identity. */
  page(query: HostQuery): { readonly hosts: readonly HostAccount[]; readonly more: boolean } {
    const { history } = this.#options;
    const roster = this.#options.roster();
    const { hosts, more } = roster.page(query);
    const queued = hosts.filter(({ state }) => state === 'QUEUED').map(({ identity }) => identity);
    const places = roster.places(new Set(queued));
    const accounts = hosts.map((view) =>
      this.#known(view, history.lastEnded(view.identity), places.get(view.identity) ?? 0),
    );
    return { hosts: accounts, more };
  }

  /**
   * @param recall gives what the event log tells of the node, where more may have happened to it than is remembered
   * @returns undefined where nothing at all is known of the node
   */
  of(
    identity: Identity,
    recall: (identity: Identity) => Past | undefined = () => undefined,
  ): FullAccount | undefined {
    const roster = this.#options.roster();
    const view = roster.get(identity);
    const remembered = this.#options.history.of(identity);
    const isWhole = remembered !== undefined && remembered.runs.length >= mostRuns;
    const past = isWhole ? remembered : withRecalled(remembered, recall(identity), view !== undefined);
    if (view === undefined) return past && this.#forgotten(past);
    const place = view.state === 'QUEUED' ? (roster.places(new Set([identity])).get(identity) ?? 0) : 0;
    const host = this.#known(view, lastEnded(past), place);
    const known = past ?? { identity, runs: [], left: undefined, loop: undefined, conflict: undefined };
    return this.#full(host, standingOf(view, place), known, view);
  }

  #known(view: HostView, lastRun: RunRecord | undefined, queuePlace: number): HostAccount {
    const { identity, state, since, until, node, version, admittedAt, lastSightedAt, run } = view;
    const { address, bootId, certificateSha256, discovery } = node;
    return {
      identity,
      state,
      since,
      until,
      address,
      bootId,
      version,
      certificateSha256,
      discovery,
      admittedAt,
      lastSightedAt,
      queuePlace,
      runId: run?.runId,
      step: run?.progress.step,
      failuresInRow: this.#options.roster().failuresInRow(identity),
      lastRun,
    };
  }

  #forgotten(past: Past): FullAccount {
    const { identity, left } = past;
    const lastRun = lastEnded(past);
    const host: HostAccount = {
      ...(left ?? unknownPlace),
      identity,
      state: 'RELEASED',
      since: left?.at,
      until: undefined,
      bootId: left?.bootId ?? lastRun?.bootId,
      queuePlace: 0,
      runId: undefined,
      step: undefined,
      failuresInRow: this.#options.roster().failuresInRow(identity),
      lastRun,
    };
    return this.#full(host, { state: 'RELEASED' }, past, undefined);
  }

  #full(host: HostAccount, standing: Standing, past: Past, view: HostView | undefined): FullAccount {
    const { circumstances, pendingConfirmation } = this.#options;
    const runs = past.runs.map((run) => this.#account(run, view));
    const waiting = past.runs.find(({ runId, outcome }) => outcome && pendingConfirmation(runId));
    const waits = waitsOf(
      {
        standing,
        lastSightedAt: host.lastSightedAt,
        isStale: view?.isStale ?? false,
        failuresInRow: host.failuresInRow,
        past,
        pending: waiting && { run: waiting, until: pendingConfirmation(waiting.runId)?.until },
      },
      circumstances(),
    );
    return { host, waits, runs };
  }

  #account(run: RunRecord, view: HostView | undefined): RunAccount {
    const { clock, pendingConfirmation } = this.#options;
    const now = view?.run?.runId === run.runId ? view.run : undefined;
    const pending = run.confirmation === undefined ? pendingConfirmation(run.runId) : undefined;
    return {
      ...run,
      ...(now && { fence: now.fence, lastStep: now.progress.step }),
      durationMs: run.durationMs ?? (run.earlier ? undefined : clock.now() - run.startedAt),
      confirmed:
        run.confirmation !== undefined
          ? { state: run.confirmation, at: run.confirmationAt }
          : pending && { state: 'PENDING', at: pending.until },
    };
  }
}

function lastEnded(past: Past | undefined): RunRecord | undefined {
  return past?.runs.find(({ outcome }) => outcome !== undefined);
}

/** Of a node whose record is not remembered. */
const unknownPlace = {
  address: '',
  version: '',
  certificateSha256: '',
  discovery: '',
  admittedAt: undefined,
  lastSightedAt: undefined,
};

function standingOf({ state, until, run, since }: HostView, place: number): Standing {
  switch (state) {
    case 'QUEUED':
      return { state, place };
    case 'RUNNING':
      return {
        state,
        progress: run?.progress ?? { step: undefined, wait: undefined, trouble: undefined },
      };
    case 'HELD':
    case 'BACKING_OFF':
      return { state, until: until ?? since };
  }
}
