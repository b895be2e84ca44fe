// A folder for what a test makes beside its stack.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** @returns the path of a new folder, which is removed after the test */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-scratch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
