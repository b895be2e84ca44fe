// The static targets: host:port each, written in the configuration or one a line in files, which are read
// again for every cycle. A file that cannot be read, or a line that is no target, costs nothing else.

import { AddressError, parseHostPort } from '../../../shared/net/addresses.js';

export type ReadText = (path: string) => Promise<string>;

/** Tells of a problem, once for as long as it lasts. */
export type Complain = (problem: string) => void;

export class Targets {
  readonly #addresses: readonly string[];
  readonly #paths: readonly string[];
  readonly #readText: ReadText;
  readonly #complain: Complain;
  /** What each file last held. */
  readonly #files = new Map<string, readonly string[]>();
  #complaints: ReadonlySet<string> = new Set();

  /** @param sources host:port, or path of a file, each */
  constructor(sources: readonly string[], readText: ReadText, complain: Complain) {
    this.#addresses = sources.filter((source) => !isFile(source));
    this.#paths = sources.filter(isFile);
    this.#readText = readText;
    this.#complain = complain;
  }

  /** Reads the files and gives all targets, each once. A file that cannot be read counts as it was. */
  async read(): Promise<readonly string[]> {
    const problems = new Set<string>();
    for (const path of this.#paths) {
      try {
        this.#files.set(path, parseTargets(await this.#readText(path), path, problems));
      } catch (error) {
        problems.add(`${path}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    for (const problem of problems) if (!this.#complaints.has(problem)) this.#complain(problem);
    this.#complaints = problems;
    return [...new Set([...this.#addresses, ...[...this.#files.values()].flat()])];
  }
}

/** One target a line; blank lines and what follows a `#` are left out. */
function parseTargets(text: string, path: string, problems: Set<string>): readonly string[] {
  const targets: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const target = line.replace(/#.*/, '').trim();
    if (target === '') continue;
    const problem = targetProblem(target);
    if (problem === undefined) targets.push(target);
    else problems.add(`${path}, line ${index + 1}: ${problem}`);
  }
  return targets;
}

/** Whether a source of targets names a file: it is no host:port. */
export function isFile(source: string): boolean {
  return targetProblem(source) !== undefined;
}

/** @returns why a text is no target, for people; undefined where it is one */
function targetProblem(text: string): string | undefined {
  try {
    return parseHostPort(text).port === 0 ? `${JSON.stringify(text)} has port 0` : undefined;
  } catch (error) {
    if (error instanceof AddressError) return error.message;
    throw error;
  }
}
