// The state of one node on disk, such that a crash at any moment leaves all of the old or all of the new.
// A configuration is written to a staging folder and synced; renaming the manifest that names it is the
// commit. A start rolls a committed one forward, into place, and discards what no manifest names.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Identity } from '../../../shared/identity.js';
import { Slots } from '../slots.js';
import type { Files } from './files.js';
import {
  csrFile,
  csrKeyFile,
  manifestPath,
  seedFile,
  settingsFile,
  stagedPath,
  stagingDirectory,
  stagingPrefix,
  stateDirectory,
} from './layout.js';
import { decodeManifest, encodeManifest } from './manifest.js';
import {
  type CommittedConfiguration,
  freshState,
  type ManifestFile,
  type NodeState,
  outdated,
} from './node-state.js';
import { type FileContent, Placement } from './placement.js';
import { enablesProvisioning, parseSettings } from './settings.js';
import { started } from './start.js';

/** A configuration in its staging folder, not committed. */
export type Staged = Pick<CommittedConfiguration, 'staging' | 'files'>;

/** The keys that a node made itself, as they are on its disk. */
export interface OwnKeys {
  /** What server.seed holds; undefined where there is none. */
  readonly seed: string | undefined;
  /** PEM of the private key of the certificate signing request; undefined where there is none. */
  readonly csrKeyPem: string | undefined;
}

/** How a node has come up. */
export interface Start {
  readonly provisioning: boolean;
  /** This is the first start since its release was replaced. */
  readonly upgraded: boolean;
}

export interface NodeStoreOptions {
  readonly identity: Identity;
  /** The node's own folder; made when first written to. */
  readonly directory: string;
  readonly files: Files;
  /** Bounds how many nodes use the disk at once. */
  readonly disk: Slots;
}

export class NodeStore {
  readonly #directory: string;
  readonly #files: Files;
  readonly #disk: Slots;
  readonly #placement: Placement;
  readonly #turn = new Slots(1);
  #state: NodeState;
  #made = false;
  #stagings = 0;
  #closed = false;

  constructor(options: NodeStoreOptions) {
    this.#directory = options.directory;
    this.#files = options.files;
    this.#disk = options.disk;
    this.#placement = new Placement(options.directory, options.files);
    this.#state = freshState(options.identity);
  }

  /** What was last committed. */
  get state(): NodeState {
    return this.#state;
  }

  /**
   * A start: reads what is there, rolls a committed configuration forward or a withdrawn one back, and
   * discards what was staged and not committed.
   *
   * @param provisioningByDefault whether settings that do not say so enable provisioning
   * @param now Unix milliseconds
   * @throws ManifestError where the manifest cannot be understood; errors of the file system
   */
  open(provisioningByDefault: boolean, now: number): Promise<Start> {
    return this.#exclusively(async () => {
      const present = await this.#files.list(this.#directory);
      if (present.length === 0) return { provisioning: true, upgraded: false };
      const manifest = await this.#files.read(manifestPath(this.#directory));
      if (manifest !== undefined) {
        this.#state = decodeManifest(manifest.toString());
        this.#made = true;
      }
      const { configuration, upgraded } = this.#state;
      await this.#placement.removeAllBut(configuration, present);
      if (configuration?.status === 'COMMITTED') await this.#placement.install(configuration);
      const provisioning = await this.#readsProvisioning(provisioningByDefault);
      const next = started(this.#state, provisioning, now);
      if (next !== this.#state) await this.#write(next);
      await this.#discardAllStaged();
      return { provisioning, upgraded };
    });
  }

  /**
   * Commits a transition. It is durable when this resolves.
   *
   * @param change gives the state that follows; the same object where nothing changes
   * @param beforeCommit called at the last moment; what it throws leaves everything as it was
   */
  save(change: (state: NodeState) => NodeState, beforeCommit?: () => void): Promise<void> {
    return this.#exclusively(async () => {
      const next = change(this.#state);
      if (next !== this.#state) await this.#write(next, beforeCommit);
    });
  }

  /**
   * Commits a transition that brings files. They are staged first, and wait in a folder of their own for the next
   * start to put them in place. Otherwise as {@link save}.
   *
   * @param change gives the state that follows, which names what was staged
   */
  async saveWithFiles(
    contents: readonly FileContent[],
    change: (state: NodeState, staged: Staged) => NodeState,
    beforeCommit?: () => void,
  ): Promise<void> {
    const staging = `${stagingPrefix}${++this.#stagings}`;
    const replaced = this.#state.configuration?.staging;
    try {
      const files = await this.#stage(staging, contents);
      await this.save((state) => change(state, { staging, files }), beforeCommit);
    } finally {
      for (const each of [staging, replaced]) if (each) await this.discardUnlessCommitted(each);
    }
  }

  /**
   * Puts new keys in place of the node's own. What was made for the ones before is withdrawn and removed first,
   * durably; where that fails, the keys stay as they were.
   *
   * @param keys the files
   * @param madeForOldOnes paths of the files to be gone before
   * @param change gives the state that follows once the keys are in place
   * @param beforeCommit called before anything is changed; what it throws leaves everything as it was
   */
  async replaceKeys(
    keys: readonly FileContent[],
    madeForOldOnes: readonly string[],
    change: (state: NodeState) => NodeState,
    beforeCommit: () => void,
  ): Promise<void> {
    const replaced = this.#state.configuration?.staging;
    await this.#exclusively(async () => {
      const next = outdated(this.#state, madeForOldOnes);
      if (next !== this.#state) await this.#write(next, beforeCommit);
      else beforeCommit();
      await this.#makeDirectory();
      await this.#placement.remove(madeForOldOnes);
      await this.#placement.put(keys);
      await this.#write(change(this.#state));
    });
    if (replaced) await this.discardUnlessCommitted(replaced);
  }

  /** @returns the node's own keys; undefined where it has made none */
  readOwnKeys(): Promise<OwnKeys> {
    return this.#exclusively(async () => {
      const [seed, csr, csrKey] = await Promise.all(
        [seedFile, csrFile, csrKeyFile].map((path) => this.#files.read(join(this.#directory, path))),
      );
      return { seed: seed?.toString(), csrKeyPem: csr && csrKey?.toString() };
    });
  }

  /**
   * Removes a configuration that was staged. What cannot be removed now is removed at the next start.
   *
   * @param staging name of its folder
   */
  async discardUnlessCommitted(staging: string): Promise<void> {
    if (staging === this.#state.configuration?.staging) return;
    await this.#files.remove(stagingDirectory(this.#directory, staging)).catch(() => {});
  }

  /** Resolves when nothing is being written any more; what is asked for later fails. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn.use(async () => {});
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'));
    return this.#turn.use(() => this.#disk.use(work));
  }

  async #stage(staging: string, contents: readonly FileContent[]): Promise<ManifestFile[]> {
    const folder = stagingDirectory(this.#directory, staging);
    return await this.#disk.use(async () => {
      await this.#makeDirectory();
      await this.#files.makeDirectory(folder);
      const files: ManifestFile[] = [];
      for (const [index, { path, content, mode }] of contents.entries()) {
        await this.#files.write(stagedPath(this.#directory, staging, index), content, mode);
        files.push({ path, sha256: createHash('sha256').update(content).digest('hex'), mode });
      }
      await this.#files.sync(folder);
      return files;
    });
  }

  async #write(next: NodeState, beforeCommit?: () => void): Promise<void> {
    await this.#makeDirectory();
    const manifest = manifestPath(this.#directory);
    await this.#files.write(`${manifest}.new`, encodeManifest(next), 0o600);
    beforeCommit?.();
    await this.#files.rename(`${manifest}.new`, manifest);
    this.#state = next;
    await this.#files.sync(stateDirectory(this.#directory));
  }

  async #readsProvisioning(provisioningByDefault: boolean): Promise<boolean> {
    const text = await this.#files.read(join(this.#directory, settingsFile));
    return text === undefined || enablesProvisioning(parseSettings(text.toString()), provisioningByDefault);
  }

  /** Removes what was staged and not committed, replaced, or put in place. */
  async #discardAllStaged(): Promise<void> {
    const state = stateDirectory(this.#directory);
    for (const name of await this.#files.list(state)) {
      if (name.startsWith(stagingPrefix)) await this.#files.remove(join(state, name));
    }
  }

  /** The node's folder and its name in the folder above are durable before anything depends on them. */
  async #makeDirectory(): Promise<void> {
    if (this.#made) return;
    await this.#files.makeDirectory(stateDirectory(this.#directory));
    await this.#files.sync(this.#directory);
    await this.#files.sync(dirname(this.#directory));
    this.#made = true;
  }
}
