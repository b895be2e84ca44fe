// What the service and the spawner say to one another. Both are the same release of the same code, so
// nothing here is versioned or checked against malice.

import { encodeFrame, type Frame } from './frames.js';

/** What stays the same for every helper that the spawner starts. */
export interface Setup {
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds from a helper's start until its process group is killed. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** How a program ended. The first cause counts: a program killed at its time limit TIMED_OUT. */
export type ProgramEnd =
  | { readonly how: 'EXITED'; readonly code: number | null; readonly signal: string | null }
  | { readonly how: 'TIMED_OUT' }
  | { readonly how: 'TOO_LARGE' }
  /** `code` is the system's error code, such as ENOENT. */
  | { readonly how: 'NOT_STARTED'; readonly code: string }
  | { readonly how: 'KILLED' };

export interface ProgramReport {
  readonly end: ProgramEnd;
  /** The last 2 KiB at most. */
  readonly stderr: string;
  readonly stderrBytes: number;
}

export type ToSpawner =
  | { readonly type: 'SETUP'; readonly setup: Setup }
  | { readonly type: 'RUN'; readonly id: number; readonly input: Buffer }
  | { readonly type: 'KILL'; readonly id: number };

export type FromSpawner =
  | { readonly type: 'STARTED'; readonly id: number; readonly pid: number }
  | { readonly type: 'OUTPUT'; readonly id: number; readonly chunk: Buffer }
  | { readonly type: 'ENDED'; readonly id: number; readonly report: ProgramReport };

const kinds = { SETUP: 1, RUN: 2, KILL: 3, STARTED: 4, OUTPUT: 5, ENDED: 6 } as const;

export function encodeMessage(message: ToSpawner | FromSpawner): Buffer {
  const kind = kinds[message.type];
  switch (message.type) {
    case 'SETUP':
      return encodeFrame(kind, 0, json(message.setup));
    case 'RUN':
      return encodeFrame(kind, message.id, message.input);
    case 'KILL':
      return encodeFrame(kind, message.id, Buffer.alloc(0));
    case 'STARTED':
      return encodeFrame(kind, message.id, json(message.pid));
    case 'OUTPUT':
      return encodeFrame(kind, message.id, message.chunk);
    case 'ENDED':
      return encodeFrame(kind, message.id, json(message.report));
  }
}

/** @throws Error where the frame is none that the service sends */
export function decodeToSpawner({ kind, id, payload }: Frame): ToSpawner {
  switch (kind) {
    case kinds.SETUP:
      return { type: 'SETUP', setup: JSON.parse(payload.toString()) };
    case kinds.RUN:
      return { type: 'RUN', id, input: payload };
    case kinds.KILL:
      return { type: 'KILL', id };
    default:
      throw new Error(`unknown frame ${kind}`);
  }
}

/** @throws Error where the frame is none that the spawner sends */
export function decodeFromSpawner({ kind, id, payload }: Frame): FromSpawner {
  switch (kind) {
    case kinds.STARTED:
      return { type: 'STARTED', id, pid: JSON.parse(payload.toString()) };
    case kinds.OUTPUT:
      return { type: 'OUTPUT', id, chunk: payload };
    case kinds.ENDED:
      return { type: 'ENDED', id, report: JSON.parse(payload.toString()) };
    default:
      throw new Error(`unknown frame ${kind}`);
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
