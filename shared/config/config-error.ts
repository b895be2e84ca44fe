// What is wrong with a configuration: all of it at once.

export interface Problem {
  /** The setting, dotted (`tls.mode`, `targets[1]`); empty where the file as a whole is meant. */
  readonly path: string;
  readonly message: string;
}

/** The message lists every problem on a line of its own, each with its path. */
export class ConfigError extends Error {
  readonly reason = 'CONFIG_INVALID';
  readonly problems: readonly Problem[];

  /** @param source where the settings came from, in words: it heads the message */
  constructor(source: string, problems: readonly Problem[], options?: ErrorOptions) {
    const lines = problems.map(({ path, message }) =>
      path === '' ? `  ${message}` : `  ${path}: ${message}`,
    );
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super([`${count} in ${source}:`, ...lines].join('\n'), options);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
