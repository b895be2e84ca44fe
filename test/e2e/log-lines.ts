// What a process of a stack has said so far, and waiting for it to say more.

import { readFileSync } from 'node:fs';
import type { ServiceName } from '../../cli/launch/project.js';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';

const patienceMs = 60_000;

export class LogLines {
  readonly #file: string;

  constructor(stack: Stack, service: ServiceName) {
    this.#file = stack.logFile(service);
  }

  /** @returns how many lines have the text */
  count(text: string): number {
    return readFileSync(this.#file, 'utf8').split(text).length - 1;
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
