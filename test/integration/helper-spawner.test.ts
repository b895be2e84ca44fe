// The spawner's parts with real processes, where the helper itself does not show them.

import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { PipePool } from '../../services/provisioner/helper/spawner/pipes.js';
import { startProgram } from '../../services/provisioner/helper/spawner/program.js';
import type { ProgramReport, Setup } from '../../services/provisioner/helper/spawner/protocol.js';
import { systemClock } from '../../shared/clock.js';

function setupOf(script: string): Setup {
  return {
    mode: 'exec',
    command: ['/bin/sh', '-c', script],
    env: { PATH: process.env.PATH ?? '' },
    timeoutMs: 5_000,
    maxOutputBytes: 1_000,
  };
}

const noGroups = { started: () => {}, gone: () => {} };

function run(script: string, pool?: PipePool): Promise<{ output: string; report: ProgramReport }> {
  let output = '';
  return new Promise((resolve, reject) => {
    const start = async () => {
      await startProgram(setupOf(script), Buffer.from('hello'), await pool?.take(), systemClock, noGroups, {
        output: (chunk) => {
          output += chunk.toString();
        },
        ended: (report) => resolve({ output, report }),
      });
    };
    start().catch(reject);
  });
}

test('where a system has no pipes to give, a program runs all the same', async () => {
  const { output, report } = await run('cat; echo note >&2');
  expect(output).toBe('hello');
  expect(report).toEqual({ end: { how: 'EXITED', code: 0, signal: null }, stderr: 'note\n', stderrBytes: 5 });
});

test('pipes are used again, and empty each time', async () => {
  const whys: string[] = [];
  const pool = new PipePool((why) => whys.push(why));
  const seen = new Set<string>();
  for (let i = 0; i < 20; i += 1) {
    // It reads nothing of its input and shows which pipe that is.
    const { output } = await run('readlink /proc/self/fd/0', pool);
    seen.add(output);
  }
  expect(seen.size).toBeLessThanOrEqual(12);
  expect((await run('cat', pool)).output).toBe('hello');
  expect(whys).toEqual([]);
});

test('a pipe that somebody still holds is not used again', async () => {
  const pool = new PipePool(() => {});
  const first = await pool.take();
  const inode = async (fd: number) => {
    const { output } = await run(`readlink /proc/${process.pid}/fd/${fd}`);
    return output;
  };
  if (first === undefined) throw new Error('no pipes');
  const held = await Promise.all(first.theirs.map(inode));
  const holder = spawn('/bin/sleep', ['600'], { stdio: [...first.theirs] });
  first.closeTheirs();
  first.release('used');
  const taken: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    const next = await pool.take();
    taken.push(...(await Promise.all((next?.theirs ?? []).map(inode))));
  }
  holder.kill('SIGKILL');
  expect(taken).toHaveLength(15);
  expect(taken.filter((name) => held.includes(name))).toEqual([]);
});
