// What a process of a stack has said so far, and waiting for it to say more.

import { readFileSync } from 'node:fs';
import { until } from '../../cli/launch/until.js';

const patienceMs = 60_000;

export class LogLines {
  readonly #file: string;

  /** @param file that the process writes its log to */
  constructor(file: string) {
    this.#file = file;
  }

  /** @returns how many lines have the text */
  count(text: string): number {
    return readFileSync(this.#file, 'utf8').split(text).length - 1;
  }

  /** Resolves once it has said the text. */
  async said(text: string): Promise<void> {
    await until(() => this.count(text) > 0, { what: `${this.#file} says: ${text}`, timeoutMs: patienceMs });
  }

  /**
   * Does something that makes the process say the text.
   *
   * @returns a promise that resolves once it was said again
   */
  async untilSaid(text: string, act: () => unknown): Promise<void> {
    const before = this.count(text);
    await act();
    await until(() => this.count(text) > before, {
      what: `${this.#file} says once more: ${text}`,
      timeoutMs: patienceMs,
    });
  }
}
