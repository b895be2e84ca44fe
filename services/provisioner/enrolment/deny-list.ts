// Names that no certificate may be requested for (`cert_deny_list`; design, section 8). What names a request has
// is csr.ts's matter.

import { RE2JS, RE2JSException } from 're2js';

/** What the list is where the setting is not given. */
export const defaultDenyPatterns: readonly string[] = [
  '\\.privileged.mcollective$',
  '\\.privileged.choria$',
  '\\.mcollective$',
  '\\.choria$',
];

export interface DenyList {
  /**
   * The first pattern, as it was written, that matches anywhere in the name; undefined where none does. Takes time
   * in proportion to the length of the name, whatever the pattern.
   */
  match(name: string): string | undefined;
}

export interface DenyListProblem {
  /** Which pattern, counted from 0. */
  readonly index: number;
  readonly pattern: string;
  /** What is wrong with it. */
  readonly message: string;
}

/** At least one pattern is no regular expression in RE2 syntax; it has all that are not. */
export class DenyListError extends Error {
  override readonly name = 'DenyListError';
  readonly problems: readonly DenyListProblem[];

  constructor(problems: readonly DenyListProblem[]) {
    super(problems.map(({ pattern, message }) => `${JSON.stringify(pattern)}: ${message}`).join('; '));
    this.problems = problems;
  }
}

/**
 * Compiles regular expressions in RE2 syntax (https://github.com/google/re2/wiki/Syntax), without flags: `$` is the
 * end of the name and not one before a line break. A pattern that begins and ends with `/`, with something between
 * them, loses all slashes at both ends; what is then empty matches every name.
 *
 * @throws DenyListError with every pattern that does not compile
 */
export function parseDenyList(patterns: readonly string[]): DenyList {
  const compiled: { pattern: string; expression: RE2JS }[] = [];
  const problems: DenyListProblem[] = [];
  for (const [index, pattern] of patterns.entries()) {
    try {
      compiled.push({ pattern, expression: RE2JS.compile(withoutSlashes(pattern)) });
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      problems.push({ index, pattern, message: explain(error.message) });
    }
  }
  if (problems.length > 0) throw new DenyListError(problems);
  return { match: (name) => compiled.find(({ expression }) => expression.test(name))?.pattern };
}

function withoutSlashes(pattern: string): string {
  // "/" and "//" are what they are for Choria Provisioner, too: slashes, which no name has.
  if (pattern.length < 3 || !pattern.startsWith('/') || !pattern.endsWith('/')) return pattern;
  return pattern.replace(/^\/+/, '').replace(/\/+$/, '');
}

function explain(message: string): string {
  return `no regular expression in RE2 syntax: ${message.replace(/^error parsing regexp: /, '')}`;
}
