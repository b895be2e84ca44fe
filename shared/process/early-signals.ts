// Loading a program takes most of a second on a busy machine. A signal that comes meanwhile finds nothing to
// stop: it ends the process, and that is in order. Imports nothing, so that it can come before all that.

/** What tells a process to stop. */
export const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Lets a stop signal exit the process with 0, until runProcess (run-process.ts) takes over. To be called first,
 * before the rest of the program is imported.
 */
export function exitOnSignals(process: NodeJS.Process): void {
  for (const signal of stopSignals) process.once(signal, () => process.exit(0));
}
