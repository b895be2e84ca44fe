// What a node has on disk, for tests and for people: readable while the node runs, and after it was killed.

import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { diskFiles, type Files } from './files.js';
import { findMisfits, findWrongKeyModes, modeProblem, type ReadFile } from './key-problems.js';
import {
  certificateName,
  configurationEntries,
  csrFile,
  csrKeyFile,
  manifestPath,
  seedFile,
  settingsFile,
  stagedPath,
} from './layout.js';
import { decodeManifest } from './manifest.js';
import type { CommittedConfiguration, RunRecord } from './node-state.js';
import { parseSettings, type Settings } from './settings.js';

export interface NodeOnDisk {
  readonly identity: string;
  /** How many configurations were committed in the node's life; a repeat of the same content is not counted. */
  readonly configurations: number;
  /** Run of the configuration that was committed last; empty where there is none. */
  readonly runId: string;
  /** Hex digest of that configuration; empty where there is none. */
  readonly digest: string;
  /** COMMITTED: the node has not started with it yet. NONE: there is none, or it was withdrawn. */
  readonly status: CommittedConfiguration['status'] | 'NONE';
  /** Stage of that run; NONE where there is none. */
  readonly stage: RunRecord['stage'] | 'NONE';
  /** Version that the last upgrade brought; undefined where the node has the one that it was made with. */
  readonly release: string | undefined;
  /** True where the node came up with that configuration, out of provisioning mode. */
  readonly confirmed: boolean;
  /** All runs that the node remembers, the last updated last. */
  readonly runs: readonly RunRecord[];
  /** Settings that the node started with; empty where it started with none. */
  readonly settings: Settings;
  /**
   * What is not as the one configuration has it: files missing, changed, left over, or with other permissions; and
   * what was made for other keys than the node has. Empty: all is of a piece.
   */
  readonly problems: readonly string[];
}

/**
 * Reads the state of one node.
 *
 * @param directory the node's folder, --dir/IDENTITY; one that does not exist is an untouched node
 * @throws ManifestError where the manifest cannot be understood
 */
export async function readNodeState(directory: string, files: Files = diskFiles): Promise<NodeOnDisk> {
  const manifest = manifestPath(directory);
  for (;;) {
    const before = await files.read(manifest);
    const read = await readOnce(directory, before, files);
    const after = await files.read(manifest);
    // A start that went on meanwhile moves files: only what stood still is told.
    if (before?.toString() === after?.toString()) return read;
  }
}

async function readOnce(directory: string, manifest: Buffer | undefined, files: Files): Promise<NodeOnDisk> {
  const state = manifest === undefined ? undefined : decodeManifest(manifest.toString());
  const configuration = state?.configuration;
  const runs = state?.runs ?? [];
  const run = runs.find(({ runId }) => runId === configuration?.runId);
  const settings = await files.read(join(directory, settingsFile));
  return {
    identity: state?.identity ?? basename(directory),
    configurations: state?.configurations ?? 0,
    runId: configuration?.runId ?? '',
    digest: configuration?.digest ?? '',
    status: configuration?.status ?? 'NONE',
    stage: run?.stage ?? 'NONE',
    release: state?.release,
    confirmed: configuration?.status === 'INSTALLED' && run?.stage === 'CONFIRMED',
    runs,
    settings: parseSettings(settings?.toString() ?? ''),
    problems: await findProblems(directory, configuration, files),
  };
}

async function findProblems(
  directory: string,
  configuration: CommittedConfiguration | undefined,
  files: Files,
): Promise<string[]> {
  const problems: string[] = [];
  const inPlace: ReadFile = async (path) => (await files.read(join(directory, path)))?.toString();
  const expected =
    configuration === undefined || configuration.status === 'WITHDRAWN' ? [] : configuration.files;
  const listed = new Set(expected.map(({ path }) => path));
  const staged = new Map<string, string>();
  for (const [index, { path, sha256, mode }] of expected.entries()) {
    let at = join(directory, path);
    let content: Buffer | undefined;
    if (configuration?.status === 'COMMITTED') {
      const waiting = stagedPath(directory, configuration.staging, index);
      content = await files.read(waiting);
      if (content !== undefined) {
        staged.set(path, content.toString());
        at = waiting;
      }
    }
    // Read once: a start may move it from here to there at any moment.
    content ??= await files.read(at);
    if (content === undefined) problems.push(`${path} is missing`);
    else if (createHash('sha256').update(content).digest('hex') !== sha256) problems.push(`${path} differs`);
    if (mode !== undefined) problems.push(...modeProblem(path, mode, await files.mode(at)));
  }
  const certificates = [...listed].filter((path) => basename(path) === certificateName);
  problems.push(...(await findMisfits(inPlace, certificates)));
  const ownKeys = new Set([seedFile, ...(listed.has(csrKeyFile) ? [] : [csrKeyFile, csrFile])]);
  if (staged.size > 0) {
    const afterStart: ReadFile = async (path) => {
      return staged.get(path) ?? (listed.has(path) || ownKeys.has(path) ? inPlace(path) : undefined);
    };
    problems.push(...(await findMisfits(afterStart, certificates)));
  }
  problems.push(...(await findWrongKeyModes(directory, files)));
  // Before the start that installs or removes, what is in place is of an earlier configuration.
  if (configuration?.status === 'INSTALLED' || configuration === undefined) {
    for (const path of await filesInPlace(directory, files)) {
      if (!listed.has(path) && !ownKeys.has(path)) problems.push(`${path} is left over`);
    }
  }
  return problems;
}

async function filesInPlace(directory: string, files: Files): Promise<string[]> {
  const present = new Set(await files.list(directory));
  const paths: string[] = [];
  for (const entry of configurationEntries) {
    if (!present.has(entry)) continue;
    if (entry.includes('.')) paths.push(entry);
    else for (const name of await files.list(join(directory, entry))) paths.push(`${entry}/${name}`);
  }
  return paths;
}
