// What the service and the spawner say to one another. Both are the same release of the same code, so
// nothing here is versioned or checked against malice.

import { encodeFrame, type Frame } from './frames.js';

/** A process for each input, or long-lived ones that are given a line each time and answer with one. */
export type HelperMode = 'exec' | 'persistent';

/** Bytes of stderr that are kept, from its end. */
export const stderrKept = 2_048;

/** What stays the same for every helper that the spawner starts. */
export interface Setup {
  readonly mode: HelperMode;
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds from a helper's start, or from when it was asked, until its process group is killed. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** How a process came to its end by itself. */
export interface Exit {
  readonly how: 'EXITED';
  readonly code: number | null;
  readonly signal: string | null;
}

/** A long-lived program that can be asked or heard no more, though it goes on. */
export interface Closed {
  readonly how: 'CLOSED';
  readonly stream: 'stdin' | 'stdout';
}

/**
 * What became of one input. The first cause counts: a program killed at its time limit TIMED_OUT. `answered`
 * is there for long-lived programs: how many inputs the process had answered before.
 */
export type ProgramEnd =
  | Exit
  | { readonly how: 'TIMED_OUT'; readonly answered?: number }
  | { readonly how: 'TOO_LARGE' }
  /** `code` is the system's error code, such as ENOENT. */
  | { readonly how: 'NOT_STARTED'; readonly code: string }
  | { readonly how: 'KILLED' }
  /** A long-lived program wrote a line; it is the output. */
  | { readonly how: 'ANSWERED' }
  /** A long-lived program is gone and has not answered. */
  | { readonly how: 'UNANSWERED'; readonly cause: Exit | Closed; readonly answered: number }
  /** What a long-lived program wrote cannot be taken for the answer to this input. */
  | { readonly how: 'OUT_OF_TURN'; readonly fault: 'MORE_THAN_A_LINE' | 'BEFORE_IT_HAD_READ' };

export interface ProgramReport {
  readonly end: ProgramEnd;
  /** The last 2 KiB at most. */
  readonly stderr: string;
  readonly stderrBytes: number;
}

/** Why a long-lived program is gone, where no run failed by it. */
export interface Loss {
  /** OUT_OF_TURN: it wrote when it was not asked. */
  readonly cause: Exit | Closed | { readonly how: 'OUT_OF_TURN' };
  /** It had been given an input, which another process is given now. */
  readonly asked: boolean;
  /** How many inputs it had answered. */
  readonly answered: number;
  /** The last 2 KiB at most of what it wrote since its last answer. */
  readonly stderr: string;
}

export type ToSpawner =
  | { readonly type: 'SETUP'; readonly setup: Setup }
  | { readonly type: 'RUN'; readonly id: number; readonly input: Buffer }
  | { readonly type: 'KILL'; readonly id: number }
  /** Of a long-lived program that has answered: whether it may be asked again, or is to be killed. */
  | { readonly type: 'RELEASE'; readonly id: number; readonly fits: boolean };

export type FromSpawner =
  /** There is a process group that nobody but the spawner would end. */
  | { readonly type: 'STARTED'; readonly pid: number }
  | { readonly type: 'GONE'; readonly pid: number; readonly loss: Loss | undefined }
  | { readonly type: 'OUTPUT'; readonly id: number; readonly chunk: Buffer }
  | { readonly type: 'ENDED'; readonly id: number; readonly report: ProgramReport };

const kinds = { SETUP: 1, RUN: 2, KILL: 3, STARTED: 4, OUTPUT: 5, ENDED: 6, GONE: 7, RELEASE: 8 } as const;

export function encodeMessage(message: ToSpawner | FromSpawner): Buffer {
  const kind = kinds[message.type];
  switch (message.type) {
    case 'SETUP':
      return encodeFrame(kind, 0, json(message.setup));
    case 'RUN':
      return encodeFrame(kind, message.id, message.input);
    case 'KILL':
      return encodeFrame(kind, message.id, Buffer.alloc(0));
    case 'RELEASE':
      return encodeFrame(kind, message.id, Buffer.of(message.fits ? 1 : 0));
    case 'STARTED':
      return encodeFrame(kind, message.pid, Buffer.alloc(0));
    case 'GONE':
      return encodeFrame(
        kind,
        message.pid,
        message.loss === undefined ? Buffer.alloc(0) : json(message.loss),
      );
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
    case kinds.RELEASE:
      return { type: 'RELEASE', id, fits: payload[0] === 1 };
    default:
      throw new Error(`unknown frame ${kind}`);
  }
}

/** @throws Error where the frame is none that the spawner sends */
export function decodeFromSpawner({ kind, id, payload }: Frame): FromSpawner {
  switch (kind) {
    case kinds.STARTED:
      return { type: 'STARTED', pid: id };
    case kinds.GONE:
      return {
        type: 'GONE',
        pid: id,
        loss: payload.length === 0 ? undefined : JSON.parse(payload.toString()),
      };
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
