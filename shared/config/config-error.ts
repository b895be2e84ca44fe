// What is wrong with a configuration: all of it at once.

export interface Problem {
  /** The setting, dotted (`tls.mode`, `targets[1]`); empty where the file as a whole is meant. */
  readonly path: string;
  readonly message: string;
}

export interface ConfigErrorOptions extends ErrorOptions {
  /** What is no problem in itself, but may be why there is one. */
  readonly notes?: readonly string[];
}

/** The message lists every problem on a line of its own, each with its path, and then the notes. */
export class ConfigError extends Error {
  readonly reason = 'CONFIG_INVALID';
  readonly problems: readonly Problem[];
  readonly source: string;

  /** @param source where the settings came from, in words: it heads the message */
  constructor(source: string, problems: readonly Problem[], options: ConfigErrorOptions = {}) {
    const lines = problems.map(({ path, message }) =>
      path === '' ? `  ${message}` : `  ${path}: ${message}`,
    );
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const notes = (options.notes ?? []).map((note) => `  note: ${note}`);
    super([`${count} in ${source}:`, ...lines, ...notes].join('\n'), options);
    this.name = 'ConfigError';
    this.problems = problems;
    this.source = source;
  }
}
