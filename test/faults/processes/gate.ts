// A pipe with a name where a file is expected: whoever reads it waits until the test lets it go on.

import { execFileSync } from 'node:child_process';
import { closeSync, constants, linkSync, openSync, renameSync, writeSync } from 'node:fs';
import { until } from '../../../cli/launch/until.js';

const patienceMs = 60_000;

export class Gate {
  /** Where the pipe is. */
  readonly path: string;
  #end: number | undefined;

  /** Makes the pipe. */
  constructor(path: string) {
    execFileSync('mkfifo', [path]);
    this.path = path;
  }

  /** Takes the place of a file at once; the pipe stays at its own path, too. */
  replace(file: string): void {
    linkSync(this.path, `${file}.new`);
    renameSync(`${file}.new`, file);
  }

  /** Resolves when somebody reads, who then waits. */
  async untilHeld(): Promise<void> {
    await until(() => this.#isHeld(), { what: `somebody reads ${this.path}`, timeoutMs: patienceMs });
  }

  /** Lets the one that was held go on with this text. Nothing where it has gone. */
  open(text = '\n'): void {
    if (this.#end === undefined) return;
    try {
      writeSync(this.#end, text);
    } catch (error) {
      if (!isCode(error, 'EPIPE')) throw error;
    } finally {
      closeSync(this.#end);
      this.#end = undefined;
    }
  }

  #isHeld(): boolean {
    try {
      this.#end ??= openSync(this.path, constants.O_WRONLY | constants.O_NONBLOCK);
      return true;
    } catch (error) {
      if (isCode(error, 'ENXIO')) return false;
      throw error;
    }
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
