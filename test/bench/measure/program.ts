// A program of test/bench/programs in a process of its own, which is spoken to in lines.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export class Program {
  readonly #name: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  /** @param file below test/. @param words what it is told on its command line */
  constructor(file: string, words: readonly string[]) {
    this.#name = file;
    const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
    this.#child = spawn(process.execPath, ['--import', 'tsx', path, ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** @throws Error where it has ended */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`${this.#name} has ended`);
    return value;
  }

  async json<T>(): Promise<T> {
    return JSON.parse(await this.line()) as T;
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
