// What the spawner runs and how it is told of it, whether each input has a process of its own or not.

import type { Loss, ProgramReport } from './protocol.js';

export interface ProgramEvents {
  output(chunk: Buffer): void;
  /**
   * Called once; nothing follows.
   *
   * @param release given where a long-lived program has answered, which waits for it to be called: with true it may be
   * asked again, with false it is killed
   */
  ended(report: ProgramReport, release?: (fits: boolean) => void): void;
}

/** The program at work on one input. */
export interface Program {
  /** Kills the process group; the end is reported as KILLED. */
  kill(): void;
  /** Stops and goes on reading stdout. */
  pause(): void;
  resume(): void;
}

/** Learns which process groups there are, so that none outlives the spawner. */
export interface Groups {
  started(leader: number): void;
  /** @param loss why a long-lived program is gone that no run was failed by */
  gone(leader: number, loss?: Loss): void;
}

/** Puts the program to work. */
export interface ProgramSource {
  /**
   * Gives the program an input.
   *
   * @throws the system's error where it cannot be started
   */
  start(input: Buffer, events: ProgramEvents): Promise<Program>;
  /** Ends the processes that work on no input, and resolves when nothing is left of them. */
  close(): Promise<void>;
}
