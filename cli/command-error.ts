// How a command ends that cannot do what it was asked to.

/** Exit codes, the same for every command. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  unreachable: 4,
  notAllowed: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command cannot be carried out; the message says why in a sentence, and what to do. Exit code 1 by default. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: ExitCode } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? exitCodes.failed;
  }
}

/** The command line cannot be used, or what it names cannot be read. Exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, exitCode: exitCodes.usage });
  }
}

/** All that there is to say has been said; what is left is the exit code. */
export class SaidError extends CommandError {
  override readonly name = 'SaidError';

  constructor(exitCode: ExitCode) {
    super('', { exitCode });
  }
}
