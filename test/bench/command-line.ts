// The command line of a program that measures: what it says, or the end of the program.

/** The command line cannot be used; the message has a line for each problem. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Ends the program where there is nothing to do: with 0 after help was asked for, with 2 where it cannot be used.
 *
 * @param parse gives undefined where help is asked for; throws UsageError
 */
export function optionsOrExit<T>(parse: (args: readonly string[]) => T | undefined, usage: string): T {
  try {
    const parsed = parse(process.argv.slice(2));
    if (parsed !== undefined) return parsed;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n(--help tells more)\n`);
    process.exit(2);
  }
}

/**
 * @param error of parseArgs, whose advice on dashes and quotes is for programs with other arguments
 * @returns what is wrong, in a line
 */
export function usageErrorOf(error: unknown): UsageError {
  const message = error instanceof Error ? error.message : String(error);
  const ambiguous = /^Option '(--[^\s']+)' argument is ambiguous/.exec(message);
  if (ambiguous !== null)
    return new UsageError(`${ambiguous[1]}: expected a value that does not begin with a dash`);
  return new UsageError(message.split(/\.\s/, 1)[0] ?? message);
}
