// What a node remembers across boots, and the transitions of it. A value of NodeState is written as a whole
// (manifest.ts, node-store.ts), so each transition happens entirely or not at all.

import type { Identity, RunId } from '../../../shared/identity.js';

/** How far a run has come on the node; a run without a record is at NONE (design, section 3). */
export type RecordedStage =
  | 'KEYED'
  | 'CONFIGURED'
  | 'RESTARTING'
  | 'UPGRADING'
  | 'UPGRADED'
  | 'STOPPING'
  | 'CONFIRMED'
  | 'FAILED';

export interface RunRecord {
  readonly runId: RunId;
  readonly stage: RecordedStage;
  /** Hex digest of the configuration that the run committed; empty where it committed none. */
  readonly configurationDigest: string;
  /** Unix milliseconds. */
  readonly updatedAt: number;
}

/** Who holds the node, as far as it was written. */
export interface StoredHold {
  readonly site: string;
  readonly fence: bigint;
  readonly runId: RunId;
  /** Unix milliseconds of its last call when this was written. */
  readonly lastCallAt: number;
}

/** A file of a configuration: path relative to the node's folder, with forward slashes. */
export interface ManifestFile {
  readonly path: string;
  /** Hex SHA-256 of the content. */
  readonly sha256: string;
  /** Permissions; undefined where an older version wrote the manifest. */
  readonly mode: number | undefined;
}

export interface CommittedConfiguration {
  /** Hex digest of the Configure call. */
  readonly digest: string;
  readonly runId: RunId;
  /**
   * COMMITTED: waits in its staging folder, the next start installs it. INSTALLED: its files are in place.
   * WITHDRAWN: the next start removes its files.
   */
  readonly status: 'COMMITTED' | 'INSTALLED' | 'WITHDRAWN';
  /** Name of the staging folder; empty once installed. */
  readonly staging: string;
  readonly files: readonly ManifestFile[];
  /** Paths of configurations before it, which may be in place until the next start. */
  readonly replaces: readonly string[];
}

export interface NodeState {
  readonly identity: Identity;
  /** How many configurations were committed in the node's life; a repeat of the one that waits is not counted. */
  readonly configurations: number;
  readonly configuration: CommittedConfiguration | undefined;
  /** Version that the last upgrade brought; undefined where the node has the one that it was made with. */
  readonly release: string | undefined;
  /** An upgrade is done, and the node has not started since. */
  readonly upgraded: boolean;
  /** Kept until the node is configured. */
  readonly hold: StoredHold | undefined;
  /** Of other sites, which held it before: the latest first. Kept as long. */
  readonly formerHolds: readonly StoredHold[];
  /** The latest runs, the last updated last. */
  readonly runs: readonly RunRecord[];
}

const runsKept = 16;

/** @returns the state of a node that was never touched */
export function freshState(identity: Identity): NodeState {
  return {
    identity,
    configurations: 0,
    configuration: undefined,
    release: undefined,
    upgraded: false,
    hold: undefined,
    formerHolds: [],
    runs: [],
  };
}

/** @returns the run's record, or undefined where the node knows nothing of it */
export function findRun(state: NodeState, runId: string): RunRecord | undefined {
  return state.runs.find((run) => run.runId === runId);
}

/** A run reached a stage. Its digest stays what it was. */
export function reached(state: NodeState, runId: RunId, stage: RecordedStage, now: number): NodeState {
  return withRun(state, {
    runId,
    stage,
    configurationDigest: findRun(state, runId)?.configurationDigest ?? '',
    updatedAt: now,
  });
}

/** @returns true where this content is committed already and waits for a start: once more is no effect */
export function waitsAlready(state: NodeState, digest: string): boolean {
  return state.configuration?.status === 'COMMITTED' && state.configuration.digest === digest;
}

/** A run committed a configuration that was staged. */
export function committed(
  state: NodeState,
  runId: RunId,
  staged: Pick<CommittedConfiguration, 'digest' | 'staging' | 'files'>,
  now: number,
): NodeState {
  return withRun(
    {
      ...state,
      configurations: state.configurations + 1,
      configuration: { ...staged, runId, status: 'COMMITTED', replaces: pathsOf(state.configuration) },
    },
    { runId, stage: 'CONFIGURED', configurationDigest: staged.digest, updatedAt: now },
  );
}

/** A run asked for the content that waits already: the configuration is that run's from now on. */
export function adopted(state: NodeState, runId: RunId, now: number): NodeState {
  const { configuration } = state;
  if (configuration === undefined) return state;
  return withRun(
    { ...state, configuration: { ...configuration, runId } },
    { runId, stage: 'CONFIGURED', configurationDigest: configuration.digest, updatedAt: now },
  );
}

/** The configuration is to be gone at the next start. */
export function withdrawn(state: NodeState): NodeState {
  const { configuration } = state;
  if (configuration === undefined) return state;
  return { ...state, configuration: { ...configuration, status: 'WITHDRAWN', staging: '' } };
}

/**
 * Keys that these files were made for are about to be replaced: a configuration that waits for a start is
 * withdrawn, and one that the node started with is from now on without the files.
 *
 * @returns the very object that was given where nothing is to change
 */
export function outdated(state: NodeState, paths: readonly string[]): NodeState {
  const { configuration } = state;
  if (configuration?.status === 'COMMITTED') return withdrawn(state);
  if (configuration?.status !== 'INSTALLED') return state;
  const files = configuration.files.filter(({ path }) => !paths.includes(path));
  if (files.length === configuration.files.length) return state;
  return { ...state, configuration: { ...configuration, files } };
}

/** @param formerHolds of other sites */
export function withHold(state: NodeState, hold: StoredHold, formerHolds: readonly StoredHold[]): NodeState {
  return { ...state, hold, formerHolds };
}

function pathsOf(configuration: CommittedConfiguration | undefined): string[] {
  if (configuration === undefined) return [];
  return [...new Set([...configuration.replaces, ...configuration.files.map(({ path }) => path)])];
}

/** A run's record is this from now on. */
export function withRun(state: NodeState, record: RunRecord): NodeState {
  const others = state.runs.filter((run) => run.runId !== record.runId);
  return { ...state, runs: [...others, record].slice(-runsKept) };
}
