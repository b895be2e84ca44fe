// Helpers that stay, without what the provisioner does for them: a line to one that is free, and the line that comes
// back.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Slots } from '../../../../services/mock-node/slots.js';
import { commandOf, type HelperKind } from '../../fleet/helper.js';

interface Coprocess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  answered: (line: string) => void;
}

export class BareCoprocesses {
  readonly #free: Coprocess[];
  readonly #slots: Slots;

  constructor(kind: HelperKind, count: number) {
    const [program, ...args] = commandOf(kind);
    this.#slots = new Slots(count);
    this.#free = Array.from({ length: count }, () => {
      const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const coprocess: Coprocess = { child, answered: () => {} };
      createInterface({ input: child.stdout }).on('line', (line) => coprocess.answered(line));
      return coprocess;
    });
  }

  /** @param input a line, with its end */
  run(input: string): Promise<string> {
    return this.#slots.use(async () => {
      const coprocess = this.#free.pop();
      if (coprocess === undefined) throw new Error('there are more slots than processes');
      const answer = new Promise<string>((resolve) => (coprocess.answered = resolve));
      coprocess.child.stdin.write(input);
      const line = await answer;
      this.#free.push(coprocess);
      return line;
    });
  }
}
