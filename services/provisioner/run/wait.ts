// The ways in which a run waits: for time to pass, and for what it cannot call off.

import type { RunContext } from './run-context.js';

/** Waits, and no longer than until something happens to the run. */
export async function wait(
  { clock, control }: Pick<RunContext, 'clock' | 'control'>,
  ms: number,
): Promise<void> {
  // What ended the run before does not tell again.
  if (control.end !== undefined) return;
  await new Promise<void>((resolve) => {
    const wake = () => {
      timer.cancel();
      off();
      resolve();
    };
    const timer = clock.setTimer(ms, wake);
    const off = control.onChange(wake);
  });
}

/** @returns what comes of the work; undefined where the run has to end before it does, or had to already */
export async function unlessOver<T>(
  { control }: Pick<RunContext, 'control'>,
  work: Promise<T>,
): Promise<T | undefined> {
  let off = () => {};
  const over = new Promise<undefined>((resolve) => {
    const look = () => {
      if (control.end !== undefined) resolve(undefined);
    };
    off = control.onChange(look);
    look();
  });
  try {
    return await Promise.race([over, work]);
  } finally {
    off();
  }
}
