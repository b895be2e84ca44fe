// A disk that can fail at any operation and then forgets what was not synced. Names reach the disk in the
// order in which they were changed, as on a journaling file system, but only a sync says how far.

import { dirname } from 'node:path';
import type { Files } from '../../services/mock-node/state/files.js';

interface File {
  readonly content: Buffer;
  readonly mode: number;
}

/** Folders have undefined. */
type Tree = Map<string, File | undefined>;

type Change = (tree: Tree) => void;

/** The power is gone: neither this operation nor any later one happens. */
export class PowerLossError extends Error {
  override readonly name = 'PowerLossError';
}

export class CrashingFiles implements Files {
  #durable: Tree = new Map([['/', undefined]]);
  #live: Tree = new Map(this.#durable);
  #unsynced: Change[] = [];
  #operations = 0;
  #crashAt = Number.POSITIVE_INFINITY;
  #dead = false;

  /** Called before each write; the write waits for it, and fails where it rejects. */
  beforeWrite: (path: string) => Promise<void> = async () => {};

  /** The same for each removal. */
  beforeRemove: (path: string) => Promise<void> = async () => {};

  /** The same for each sync of a folder. */
  beforeSync: (directory: string) => Promise<void> = async () => {};

  /** How many operations that change something were begun. */
  get operations(): number {
    return this.#operations;
  }

  /** Crashes within the operation of this number, counted from 1 and from now. */
  crashAt(operation: number): void {
    this.#crashAt = this.#operations + operation;
  }

  /**
   * Starts again after a crash, or after the process was killed.
   *
   * @param kept how many of the changes that were not synced reached the disk, given how many there are
   */
  reboot(kept: (unsynced: number) => number): void {
    const reached = this.#unsynced.slice(0, kept(this.#unsynced.length));
    for (const change of reached) change(this.#durable);
    this.#live = new Map(this.#durable);
    this.#unsynced = [];
    this.#crashAt = Number.POSITIVE_INFINITY;
    this.#dead = false;
  }

  async read(path: string): Promise<Buffer | undefined> {
    this.#checkPower();
    return this.#live.get(path)?.content;
  }

  async mode(path: string): Promise<number | undefined> {
    this.#checkPower();
    return this.#live.has(path) ? (this.#live.get(path)?.mode ?? 0o700) : undefined;
  }

  async list(path: string): Promise<string[]> {
    this.#checkPower();
    const prefix = path === '/' ? '/' : `${path}/`;
    return [...this.#live.keys()]
      .filter((each) => each.startsWith(prefix) && each !== '/' && !each.slice(prefix.length).includes('/'))
      .map((each) => each.slice(prefix.length));
  }

  async makeDirectory(path: string): Promise<void> {
    this.#begin(() => {});
    for (let missing = path; !this.#live.has(missing); missing = dirname(missing)) {
      this.#change((tree) => tree.set(missing, undefined));
    }
  }

  async write(path: string, content: string | Buffer, mode: number): Promise<void> {
    await this.beforeWrite(path);
    const bytes = Buffer.from(content);
    const half = bytes.subarray(0, bytes.length / 2);
    this.#requireDirectory(dirname(path));
    this.#begin(() => this.#change((tree) => tree.set(path, { content: half, mode })));
    this.#change((tree) => tree.set(path, { content: bytes, mode }));
  }

  async rename(from: string, to: string): Promise<void> {
    const file = this.#live.get(from);
    if (file === undefined) throw missing(from);
    this.#requireDirectory(dirname(to));
    this.#begin(() => {});
    this.#change((tree) => tree.delete(from) && tree.set(to, file));
  }

  async remove(path: string): Promise<void> {
    await this.beforeRemove(path);
    const paths = [...this.#live.keys()].filter((each) => each === path || each.startsWith(`${path}/`));
    const removals = paths.reverse().map(
      (each): Change =>
        (tree) =>
          tree.delete(each),
    );
    const half = removals.splice(0, Math.floor(removals.length / 2));
    this.#begin(() => {
      for (const change of half) this.#change(change);
    });
    for (const change of [...half, ...removals]) this.#change(change);
  }

  async sync(directory: string): Promise<void> {
    await this.beforeSync(directory);
    this.#requireDirectory(directory);
    this.#begin(() => {});
    for (const change of this.#unsynced) change(this.#durable);
    this.#unsynced = [];
  }

  #begin(halfway: () => void): void {
    this.#checkPower();
    this.#operations++;
    if (this.#operations < this.#crashAt) return;
    halfway();
    this.#dead = true;
    throw new PowerLossError('the power is gone');
  }

  #checkPower(): void {
    if (this.#dead) throw new PowerLossError('the power is gone');
  }

  #change(change: Change): void {
    change(this.#live);
    this.#unsynced.push(change);
  }

  #requireDirectory(path: string): void {
    if (!this.#live.has(path) || this.#live.get(path) !== undefined) throw missing(path);
  }
}

function missing(path: string): Error {
  return Object.assign(new Error(`no such file or directory: ${path}`), { code: 'ENOENT' });
}
