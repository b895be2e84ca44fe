// Runs the slipway command in this process, with a folder of its own to work in.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runSlipway } from '../../cli/slipway.js';
import type { ServiceName } from '../../cli/terminal.js';

export interface SlipwayResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface SlipwayOptions {
  /** What standard input gives. */
  readonly input?: string;
  readonly now?: Date;
  readonly env?: Readonly<Record<string, string>>;
  /** Characters in a line; without, standard output is no terminal. */
  readonly columns?: number;
  /** Told all that was printed so far, whenever more is. */
  readonly onOut?: (out: string) => void;
  readonly onErr?: (err: string) => void;
  /** Asked whether more may be printed; it always may without. */
  readonly room?: () => Promise<void> | undefined;
  /** Stops the command as a signal does. */
  readonly stop?: AbortSignal;
  /** Told of the service that is to be run. */
  readonly onService?: (name: ServiceName, flags: readonly string[]) => void;
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
      options.onOut?.(out);
    },
    room: options.room ?? (() => undefined),
    err: (text) => {
      err += text;
      options.onErr?.(err);
    },
    readInput: async () => options.input ?? '',
    now: () => options.now ?? new Date(),
    env: options.env ?? {},
    columns: options.columns,
    timeZone: 'UTC',
    onStop: (callback) => options.stop?.addEventListener('abort', callback),
    runService: async (name, flags) => options.onService?.(name, flags),
  });
  return { code, out, err };
}

/** @returns a folder that is removed after the test */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
