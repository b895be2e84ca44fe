// Shows progress: one line that is written over on a terminal; elsewhere a line a second, where anything changed.

import type { Progress } from './progress.js';

/** What the display needs of standard output. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const plainEveryMs = 1_000;

/** @returns one line of progress; `seconds` is the time since the start */
export function progressLine(progress: Progress, nodes: number, seconds: number): string {
  const { queued, running, restarting, confirmed, failedRuns, deferredRuns, shutDown } = progress;
  const rate = seconds > 0 ? confirmed / seconds : 0;
  const parts = [
    `${seconds.toFixed(1).padStart(5)} s`,
    `${confirmed}/${nodes} confirmed (${rate.toFixed(1)}/s)`,
    `${queued} queued`,
    `${running} running`,
    `${restarting} restarting`,
    `${failedRuns} failed${mostCommon(progress.reasons)}`,
  ];
  if (deferredRuns > 0) parts.push(`${deferredRuns} deferred`);
  if (shutDown > 0) parts.push(`${shutDown} shut down`);
  return parts.join('  ');
}

function mostCommon(reasons: ReadonlyMap<string, number>): string {
  const [first] = [...reasons].sort(([, a], [, b]) => b - a);
  return first === undefined ? '' : ` (${first[0]}${reasons.size > 1 ? ', …' : ''})`;
}

/** Shows one fleet's progress on one screen. */
export class ProgressDisplay {
  readonly #screen: Screen;
  readonly #nodes: number;
  #shown = '';
  #shownAtMs = Number.NEGATIVE_INFINITY;

  constructor(screen: Screen, nodes: number) {
    this.#screen = screen;
    this.#nodes = nodes;
  }

  /** @param last shows it in any case, and leaves the line */
  show(progress: Progress, elapsedMs: number, last = false): void {
    const line = progressLine(progress, this.#nodes, elapsedMs / 1000);
    if (this.#screen.isTTY) {
      // A line that wraps could not be written over.
      const width = (this.#screen.columns ?? 80) - 1;
      this.#screen.write(`\r${line.slice(0, width)}\u001b[K${last ? '\n' : ''}`);
      return;
    }
    const state = JSON.stringify({ ...progress, reasons: [...progress.reasons] });
    if (state === this.#shown || (!last && elapsedMs - this.#shownAtMs < plainEveryMs)) return;
    this.#screen.write(`${line}\n`);
    this.#shown = state;
    this.#shownAtMs = elapsedMs;
  }
}
