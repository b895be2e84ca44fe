// Long-lived programs where the helper itself does not show them: with a clock of the test's own, and with every
// answer of the shared cases.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { CoprocessPool } from '../../services/provisioner/helper/coprocess/pool.js';
import { HelperError } from '../../services/provisioner/helper/helper.js';
import { judge } from '../../services/provisioner/helper/judge.js';
import { PipePool } from '../../services/provisioner/helper/spawner/pipes.js';
import type { Loss, ProgramReport, Setup } from '../../services/provisioner/helper/spawner/protocol.js';
import { silentLogger } from '../../shared/logger.js';
import { FakeClock } from '../fakes/fake-clock.js';
import { ask, eventually, HelperBench, inputOf } from './helper-support.js';

let bench: HelperBench;

beforeEach(async () => {
  bench = await HelperBench.open();
});

afterEach(async () => {
  await bench.close();
});

interface Answered {
  readonly output: string;
  readonly report: ProgramReport;
}

/** A pool over a script, and what it says of its processes. */
async function poolOver(body: string, clock: FakeClock, pipes = new PipePool(() => {})) {
  const started: number[] = [];
  const losses: Array<Loss | undefined> = [];
  const setup: Setup = {
    mode: 'persistent',
    command: [await bench.script(body)],
    env: Object.fromEntries(Object.entries(bench.env).map(([name, value]) => [name, value ?? ''])),
    timeoutMs: 5_000,
    maxOutputBytes: 1_000,
  };
  const pool = new CoprocessPool(setup, pipes, clock, {
    started: (pid) => started.push(pid),
    gone: (_pid, loss) => losses.push(loss),
  });
  const asked = (line = '{}\n', fits = true): Promise<Answered> => {
    let output = '';
    return new Promise((resolve, reject) => {
      const events = {
        output: (chunk: Buffer) => {
          output += chunk.toString();
        },
        ended: (report: ProgramReport, release?: (fits: boolean) => void) => {
          release?.(fits);
          resolve({ output, report });
        },
      };
      pool.start(Buffer.from(line), events).catch(reject);
    });
  };
  return { pool, started, losses, asked };
}

const answered = { how: 'ANSWERED' };

test('what a program writes within 2 ms of its answer is no answer to what it is asked next', async () => {
  const clock = new FakeClock();
  const { pool, started, losses, asked } = await poolOver(
    `read -r line; echo answer
     if mkdir "$FOLDER/first" 2>/dev/null; then
       until [ -e "$FOLDER/go" ]; do sleep 0.01; done; echo again
     fi; sleep 600`,
    clock,
  );
  expect(await asked()).toMatchObject({ output: 'answer', report: { end: answered } });
  await clock.advance(1);
  const next = asked();
  await writeFile(join(bench.folder, 'go'), '');
  await eventually(
    async () => losses,
    ({ length }) => length === 1,
  );
  expect(losses).toMatchObject([{ cause: { how: 'OUT_OF_TURN' }, asked: false, answered: 1 }]);
  expect(started).toHaveLength(1);
  await clock.advance(1);
  expect(await next).toMatchObject({ output: 'answer', report: { end: answered } });
  expect(started).toHaveLength(2);
  const closed = pool.close();
  await clock.advance(1_000);
  await closed;
});

test('a program that rests is waited for: no other is started', async () => {
  const clock = new FakeClock();
  const { pool, started, asked } = await poolOver('while read -r line; do echo "$line"; done', clock);
  expect(await asked('one\n')).toMatchObject({ output: 'one' });
  const next = asked('two\n');
  await clock.advance(2);
  expect(await next).toMatchObject({ output: 'two' });
  expect(started).toHaveLength(1);
  await pool.close();
});

test('a program whose answer does not fit is killed, and another is asked next', async () => {
  const clock = new FakeClock();
  const { pool, started, losses, asked } = await poolOver('while read -r line; do echo "$line"; done', clock);
  await asked('one\n', false);
  await clock.advance(2);
  expect(await asked('two\n')).toMatchObject({ output: 'two' });
  expect(started).toHaveLength(2);
  await eventually(
    async () => losses,
    ({ length }) => length === 1,
  );
  // The run that it failed says so.
  expect(losses).toEqual([undefined]);
  await pool.close();
});

test('a program is not asked before its answer was looked at', async () => {
  const clock = new FakeClock();
  const { pool, started, asked } = await poolOver('while read -r line; do echo "$line"; done', clock);
  const first = await new Promise<(fits: boolean) => void>((resolve, reject) => {
    const ended = (_report: ProgramReport, release?: (fits: boolean) => void) => {
      if (release !== undefined) resolve(release);
    };
    pool.start(Buffer.from('one\n'), { output: () => {}, ended }).catch(reject);
  });
  await clock.advance(2);
  expect(await asked('two\n')).toMatchObject({ output: 'two' });
  expect(started).toHaveLength(2);
  first(true);
  await clock.advance(2);
  await Promise.all([asked('three\n'), asked('four\n')]);
  expect(started).toHaveLength(2);
  await pool.close();
});

test('the time limit is that of the question, whoever is asked', async () => {
  const clock = new FakeClock();
  const { pool, started, losses, asked } = await poolOver(
    `if mkdir "$FOLDER/first" 2>/dev/null; then
       read -r line; echo '{}'; read -r line; exit 0
     fi; touch "$FOLDER/second"; sleep 600`,
    clock,
  );
  await asked();
  await clock.advance(2);
  const late = asked();
  await clock.advance(4_000);
  await eventually(
    async () => started,
    ({ length }) => length === 2,
  );
  await clock.advance(1_000);
  expect((await late).report.end).toEqual({ how: 'TIMED_OUT', answered: 0 });
  expect(losses[0]).toMatchObject({ cause: { how: 'EXITED', code: 0 }, asked: true, answered: 1 });
  await pool.close();
});

test('where a system has no pipes to give, programs answer all the same', async () => {
  const clock = new FakeClock();
  const none = { take: async () => undefined } as unknown as PipePool;
  const { pool, asked } = await poolOver('while read -r line; do echo "$line"; done', clock, none);
  for (const line of ['one', 'two']) {
    const reply = asked(`${line}\n`);
    await clock.advance(2);
    expect(await reply).toMatchObject({ output: line, report: { end: answered } });
  }
  await pool.close();
});

const vectorsFile = fileURLToPath(new URL('../vectors/helper-replies.json', import.meta.url));
const shape = z.object({
  vectors: z.array(z.object({ name: z.string(), stdout: z.string(), exit_code: z.number().nullable() })),
});

test('what may be an answer means the same as in exec mode', async () => {
  const { vectors } = shape.parse(JSON.parse(await readFile(vectorsFile, 'utf8')));
  // An empty line is no output at all, and of what has no end nobody says what it was.
  const apply = vectors.filter(({ stdout, exit_code }) => exit_code === 0 && stdout.trim() !== '');
  expect(apply.length).toBeGreaterThan(20);
  const script = await bench.script(
    `#!${process.execPath}
     const { vectors } = JSON.parse(require('node:fs').readFileSync(${JSON.stringify(vectorsFile)}, 'utf8'));
     require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const { name } = JSON.parse(JSON.parse(line).inventory).facts;
       process.stdout.write(vectors.find((vector) => vector.name === name).stdout.replace(/\\n$/, '') + '\\n');
     });`,
  );
  const helper = bench.helper([script], { mode: 'persistent', log: silentLogger() });
  const { inventory, ...node } = inputOf();
  for (const { name, stdout } of apply) {
    const got = await ask(helper, {
      ...node,
      inventory: { ...inventory, factsJson: JSON.stringify({ name }) },
    });
    const expected = inExecMode(stdout);
    if ('reason' in expected) expect(got, name).toMatchObject(expected);
    else expect(got, name).toEqual(expected);
  }
});

function inExecMode(stdout: string) {
  const end = { how: 'EXITED', code: 0, signal: null } as const;
  try {
    return judge({ end, stdout: Buffer.from(stdout), stderr: '', timeoutMs: 1_000 });
  } catch (error) {
    if (error instanceof HelperError) return { reason: error.reason };
    throw error;
  }
}
