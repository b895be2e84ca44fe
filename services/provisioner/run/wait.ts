// The one way in which a run lets time pass.

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
