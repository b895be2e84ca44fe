// A stack of real processes for one test, with a folder of its own, ended whatever happens.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { StackOptions } from '../../cli/launch/configuration.js';
import { projectRoot } from '../../cli/launch/project.js';
import { quoteWord } from '../../cli/launch/quote.js';
import { Stack } from '../../cli/launch/stack.js';

/** @returns the command line of a helper in test/e2e/helpers */
export function testHelper(name: string): string {
  return quoteWord(join(projectRoot(), 'test/e2e/helpers', name));
}

/**
 * @param env what it finds in its environment, beside that of the provisioner
 * @returns the command line of a helper in examples/helpers
 */
export function exampleHelper(name: string, env: Readonly<Record<string, string>> = {}): string {
  const settings = Object.entries(env).map(([key, value]) => quoteWord(`${key}=${value}`));
  return ['env', ...settings, quoteWord(join(projectRoot(), 'examples/helpers', name))].join(' ');
}

/**
 * Prepares a stack. After the test everything is ended; the folder with logs and state stays where the
 * test failed.
 */
export async function prepareStack(options: Omit<StackOptions, 'directory'>): Promise<Stack> {
  const directory = mkdtempSync(join(tmpdir(), 'slipway-e2e-'));
  const stack = await Stack.prepare({ directory, ...options });
  onTestFinished(async ({ task }) => {
    await stack.endAll();
    if (task.result?.state === 'fail')
      process.stderr.write(`logs and state of the failed test: ${directory}\n`);
    else rmSync(directory, { recursive: true, force: true });
  });
  return stack;
}
