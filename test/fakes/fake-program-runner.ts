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
  /** Of a long-lived program: whether it may be asked again; undefined where nobody has said. */
  readonly fits: boolean | undefined;
  /** The spawner dies under it. */
  lose(): void;
}

export class FakeProgramRunner implements ProgramRunner {
  /** Every program that was started, in order. */
  readonly started: FakeProgram[] = [];
  closed = false;

  run(input: Buffer, signal: AbortSignal): Promise<ProgramResult> {
    return new Promise((resolve, reject) => {
      const release = (fits: boolean) => {
        program.fits = fits;
      };
      const end = (how: ProgramEnd, stdout = '', stderr = '') => {
        const bytes = new Bytes();
        bytes.push(Buffer.from(stdout));
        signal.removeEventListener('abort', onAbort);
        resolve({ end: how, stdout: bytes, stderr, stderrBytes: stderr.length, release });
      };
      const onAbort = () => end({ how: 'KILLED' });
      signal.addEventListener('abort', onAbort);
      const lose = () => {
        signal.removeEventListener('abort', onAbort);
        reject(new SpawnerLostError('the spawner ended (SIGKILL)'));
      };
      const program = {
        input: input.toString(),
        signal,
        fits: undefined as boolean | undefined,
        end,
        lose,
      };
      this.started.push(program);
    });
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
