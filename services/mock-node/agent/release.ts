// A release of the agent, and which ones it takes (design, section 3: ARGUMENT_INVALID).

import type { Violation } from './arguments.js';

export interface Release {
  /** Address of the repository that it comes from. */
  readonly repository: string;
  readonly version: string;
}

/** More, discovery does not take in a report. */
const longestVersion = 128;
const longestRepository = 2_048;

/** @returns what is wrong with the arguments of UpdateRelease; empty where nothing is */
export function checkRelease({ repository, version }: Release): Violation[] {
  const fields = [
    ['repository', findTextProblem(repository, longestRepository)],
    ['version', findVersionProblem(version)],
  ] as const;
  return fields.flatMap(([field, description]) =>
    description === undefined ? [] : [{ field, description }],
  );
}

/** @returns why the text cannot be the version of a release; undefined where it can */
export function findVersionProblem(version: string): string | undefined {
  return findTextProblem(version, longestVersion);
}

function findTextProblem(text: string, longest: number): string | undefined {
  if (text === '') return 'is empty';
  if (text.length > longest) return `is longer than ${longest} characters`;
  return /\p{Cc}/u.test(text) ? 'a line break or another control character is not allowed' : undefined;
}
