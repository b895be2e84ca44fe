// Helpers for the bare client: a small process starts the program for each node, as the provisioner's does, and does
// nothing else.

import { availableParallelism } from 'node:os';
import { Slots } from '../../../../services/mock-node/slots.js';
import { commandOf, type HelperKind } from '../../fleet/helper.js';
import { Program } from '../../measure/program.js';

/** As many as the provisioner runs at once. */
const atOnce = 2 * availableParallelism();

export class BareHelper {
  readonly ready: Promise<unknown>;
  readonly #program: Program;
  readonly #slots = new Slots(atOnce);
  readonly #waiting = new Map<number, (output: string) => void>();
  #last = 0;

  constructor(kind: HelperKind) {
    this.#program = new Program('bench/programs/bare-spawner.ts', commandOf(kind));
    this.ready = this.#program.line().then(() => void this.#listen());
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** Runs the program once. @returns its output */
  run(input: string): Promise<string> {
    return this.#slots.use(
      () =>
        new Promise((resolve) => {
          this.#waiting.set(++this.#last, resolve);
          this.#program.say(JSON.stringify({ id: this.#last, input }));
        }),
    );
  }

  end(): void {
    this.#program.kill();
  }

  async #listen(): Promise<void> {
    for (;;) {
      const { id, output } = await this.#program.json<{ readonly id: number; readonly output: string }>();
      this.#waiting.get(id)?.(output);
      this.#waiting.delete(id);
    }
  }
}
