// A ProgramRunner that runs nothing: a test says how each program ends.

import { Bytes } from '../../services/provisioner/helper/spawner/bytes.js';
import type { ProgramRunner } from '../../services/provisioner/helper/spawner/client.js';
import {
  type ProgramResult,
  SpawnerLostError,
} from '../../services/provisioner/helper/spawner/connection.js';
import type { ProgramEnd } from '../../services/provisioner/helper/spawner/protocol.js';

export interface FakeProgram {
  readonly input: string;
  readonly signal: AbortSignal;
  /** Ends the program. */
  end(how: ProgramEnd, stdout?: string, stderr?: string): void;
  /** The spawner dies under it. */
  lose(): void;
}

export class FakeProgramRunner implements ProgramRunner {
  /** Every program that was started, in order. */
  readonly started: FakeProgram[] = [];
  closed = false;

  run(input: Buffer, signal: AbortSignal): Promise<ProgramResult> {
    return new Promise((resolve, reject) => {
      const end = (how: ProgramEnd, stdout = '', stderr = '') => {
        const bytes = new Bytes();
        bytes.push(Buffer.from(stdout));
        signal.removeEventListener('abort', onAbort);
        resolve({ end: how, stdout: bytes, stderr, stderrBytes: stderr.length });
      };
      const onAbort = () => end({ how: 'KILLED' });
      signal.addEventListener('abort', onAbort);
      const lose = () => {
        signal.removeEventListener('abort', onAbort);
        reject(new SpawnerLostError('the spawner ended (SIGKILL)'));
      };
      this.started.push({ input: input.toString(), signal, end, lose });
    });
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
