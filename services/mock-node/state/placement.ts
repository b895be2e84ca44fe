// Puts files of a node in and out of place, such that at no moment there is a server token beside another seed, or
// a certificate beside another private key: what was made for the old one goes before the new one comes. What is
// to be where is node-store.ts's matter.

import { basename, dirname, join } from 'node:path';
import type { Files } from './files.js';
import {
  certificateName,
  configurationEntries,
  csrFile,
  csrKeyFile,
  privateKeyName,
  sslFolder,
  stagedKeyPath,
  stagedPath,
  stagingDirectory,
} from './layout.js';
import type { CommittedConfiguration, ManifestFile } from './node-state.js';

/** A file before it is written. */
export interface FileContent {
  /** Relative to the node's folder, with forward slashes. */
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

export class Placement {
  readonly #directory: string;
  readonly #files: Files;

  /** @param directory the node's own */
  constructor(directory: string, files: Files) {
    this.#directory = directory;
    this.#files = files;
  }

  /** Puts the files of a committed configuration in place. A crash on the way repeats it at the next start. */
  async install({ staging, files }: CommittedConfiguration): Promise<void> {
    // What an earlier start moved before it was cut short is in place already.
    const waiting = new Set(await this.#files.list(stagingDirectory(this.#directory, staging)));
    const folders = new Set([this.#directory]);
    for (const [index, { path }] of files.entries()) {
      const to = join(this.#directory, path);
      if (!folders.has(dirname(to))) await this.#files.makeDirectory(dirname(to));
      folders.add(dirname(to));
      if (!waiting.has(String(index))) continue;
      if (basename(path) === privateKeyName) {
        // What is there was made for the key before.
        await this.#files.remove(join(dirname(to), certificateName));
      }
      await this.#files.rename(stagedPath(this.#directory, staging, index), to);
    }
    for (const folder of folders) await this.#files.sync(folder);
  }

  /** Puts files in place, in their order: each is whole or not there. Durable when this resolves. */
  async put(keys: readonly FileContent[]): Promise<void> {
    const folders = new Set([this.#directory]);
    for (const { path, content, mode } of keys) {
      const to = join(this.#directory, path);
      if (!folders.has(dirname(to))) await this.#files.makeDirectory(dirname(to));
      folders.add(dirname(to));
      const staged = stagedKeyPath(this.#directory, path);
      await this.#files.write(staged, content, mode);
      await this.#files.rename(staged, to);
    }
    for (const folder of folders) await this.#files.sync(folder);
  }

  /** Removes files, as far as they are there, in their order. Durable when this resolves. */
  async remove(paths: readonly string[]): Promise<void> {
    for (const folder of new Set(paths.map((path) => dirname(join(this.#directory, path))))) {
      const present = await this.#files.list(folder);
      const there = paths.filter(
        (path) => dirname(join(this.#directory, path)) === folder && present.includes(basename(path)),
      );
      for (const path of there) await this.#files.remove(join(this.#directory, path));
      if (there.length > 0) await this.#files.sync(folder);
    }
  }

  /**
   * Removes what belongs to no configuration any more; the key of a certificate signing request stays.
   *
   * @param configuration the one that stays, or is to be put in place; one that is withdrawn goes as well
   * @param present what is in the node's folder
   */
  async removeAllBut(
    configuration: CommittedConfiguration | undefined,
    present: readonly string[],
  ): Promise<void> {
    const { status, files = [], replaces = [] } = configuration ?? {};
    const kept = status === 'WITHDRAWN' ? [] : files.map(({ path }) => path);
    if (!(status === 'COMMITTED' && bringsKey(files)) && (await this.#holdsRequest(present))) {
      kept.push(csrKeyFile, csrFile);
    }
    const keptNames = new Set(kept.flatMap((path) => [path, ...foldersAbove(path)]));
    // Put there in their order, they go in reverse: a certificate before its key.
    for (const path of [...replaces, ...files.map((file) => file.path)].reverse()) {
      if (!keptNames.has(path)) await this.#files.remove(join(this.#directory, path));
    }
    for (const entry of configurationEntries) {
      if (!present.includes(entry) || kept.includes(entry)) continue;
      const folder = join(this.#directory, entry);
      const names = await this.#files.list(folder);
      // In this order, too.
      const extra = names.filter((name) => !keptNames.has(`${entry}/${name}`)).sort();
      if (extra.length === names.length) await this.#files.remove(folder);
      else for (const name of extra) await this.#files.remove(join(folder, name));
    }
  }

  async #holdsRequest(present: readonly string[]): Promise<boolean> {
    if (!present.includes(sslFolder)) return false;
    return (await this.#files.list(join(this.#directory, sslFolder))).includes(basename(csrFile));
  }
}

function bringsKey(files: readonly ManifestFile[]): boolean {
  return files.some(({ path }) => basename(path) === privateKeyName);
}

/** @returns the folders on the way to a path, without the node's own */
function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, depth) => names.slice(0, depth + 1).join('/'));
}
