// Keeps the operator's pause as a file in data_dir: while it is there, the provisioner is paused. It is
// replaced as a whole and synced, so that a crash leaves the old state or the new one.

import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from '../../../shared/process/start-error.js';
import type { PauseNote, PauseStore } from './pause.js';

const fileName = 'paused.json';

export class PauseFile implements PauseStore {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, fileName);
  }

  /**
   * A file that cannot be understood is a pause of which nothing more is known.
   *
   * @throws StartError where it cannot be read: whether an operator paused is then not known
   */
  async load(): Promise<PauseNote | undefined> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(`${this.#path}, the note of a pause, cannot be read: ${why}; mend or remove it`, {
        cause: error,
      });
    }
    return parseNote(text);
  }

  async save(note: PauseNote): Promise<void> {
    const staged = `${this.#path}.new`;
    await mkdir(dirname(this.#path), { recursive: true });
    const file = await open(staged, 'w', 0o644);
    try {
      await file.writeFile(`${JSON.stringify(note)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(staged, this.#path);
    await this.#syncFolder();
  }

  async clear(): Promise<void> {
    await rm(this.#path, { force: true });
    await this.#syncFolder();
  }

  async #syncFolder(): Promise<void> {
    const folder = await open(dirname(this.#path), 'r').catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    try {
      await folder?.sync();
    } finally {
      await folder?.close();
    }
  }
}

function parseNote(text: string): PauseNote {
  let read: Partial<Record<keyof PauseNote, unknown>> | null;
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    read = null;
  }
  const { since, by, message } = read ?? {};
  return {
    since: typeof since === 'number' ? since : 0,
    by: typeof by === 'string' ? by : '',
    message: typeof message === 'string' ? message : '',
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
