// How a command ends that cannot do what it was asked to.

/** Exit codes, the same for every command. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** The command cannot be carried out; the message says why in a sentence, and what to do. Exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: number = exitCodes.failed;
}

/** The command line cannot be used, or what it names cannot be read. Exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  override readonly exitCode = exitCodes.usage;
}
