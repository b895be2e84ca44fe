// The site's helper program in the world: reads what the real helper reads, prints what the site decides, and fails as
// programs do. How that is judged is the provisioner's own matter.

import { Bytes } from '../../../services/provisioner/helper/spawner/bytes.js';
import type { ProgramRunner } from '../../../services/provisioner/helper/spawner/client.js';
import type { ProgramResult } from '../../../services/provisioner/helper/spawner/connection.js';
import type { ProgramEnd } from '../../../services/provisioner/helper/spawner/protocol.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { Faults } from './faults.js';
import type { Life, RealWork } from './life.js';
import type { Decide, HelperQuestion } from './site.js';

export interface WorldHelperOptions {
  readonly clock: Clock;
  readonly life: Life;
  readonly work: RealWork;
  readonly faults: Faults;
  readonly timeoutMs: number;
  readonly decide: Decide;
}

/** How long the program takes: milliseconds. */
const takesMs = 200;

const exited: ProgramEnd = { how: 'EXITED', code: 0, signal: null };

/**
 * @returns what runs the program. LOSE_REQUEST: it exits with code 1 and has read nothing; LOSE_REPLY: it prints
 *   nothing; DUPLICATE: it prints its object twice; HANG: it does not end.
 */
export function worldHelper(options: WorldHelperOptions): ProgramRunner {
  const { life } = options;
  return {
    run: (input, signal) => life.during(() => runUnlessKilled(options, input, signal)),
    close: async () => {},
  };
}

function runUnlessKilled(
  options: WorldHelperOptions,
  input: Buffer,
  signal: AbortSignal,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(result({ how: 'KILLED' }));
    signal.addEventListener('abort', onAbort, { once: true });
    run(options, input)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function run(
  { clock, work, faults, timeoutMs, decide }: WorldHelperOptions,
  input: Buffer,
): Promise<ProgramResult> {
  const question = JSON.parse(input.toString()) as HelperQuestion;
  const call = faults.take(question.identity, 'Helper');
  await call.happens('ARRIVES');
  if (call.has('HANG')) {
    await sleep(clock, timeoutMs);
    return result({ how: 'TIMED_OUT' });
  }
  if (call.has('LOSE_REQUEST')) return result({ how: 'EXITED', code: 1, signal: null });
  await sleep(clock, takesMs + call.delayMs);
  const reply = JSON.stringify(await work.count(Promise.resolve(decide(question))));
  await call.happens('DONE');
  await call.happens('ANSWERED');
  if (call.has('LOSE_REPLY')) return result(exited);
  return result(exited, call.has('DUPLICATE') ? `${reply}\n${reply}\n` : reply);
}

function result(end: ProgramEnd, printed = ''): ProgramResult {
  const stdout = new Bytes();
  stdout.push(Buffer.from(printed));
  return { end, stdout, stderr: '', stderrBytes: 0 };
}
