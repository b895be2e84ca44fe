// Runs the slipway command in this process, with a folder of its own to work in.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runSlipway } from '../../cli/slipway.js';

export interface SlipwayResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface SlipwayOptions {
  /** What standard input gives. */
  readonly input?: string;
  readonly now?: Date;
}

/** Runs one command to its end. */
export async function slipway(
  words: readonly string[],
  options: SlipwayOptions = {},
): Promise<SlipwayResult> {
  let out = '';
  let err = '';
  const code = await runSlipway(words, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    readInput: async () => options.input ?? '',
    now: () => options.now ?? new Date(),
  });
  return { code, out, err };
}

/** @returns a folder that is removed after the test */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
