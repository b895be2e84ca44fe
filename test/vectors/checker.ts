// What a checker of one vector file is: the shape of its cases and what is done with each.

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type Verdict =
  /** `note` says what of the case was not looked at, the same words for every such case. */
  | { readonly kind: 'PASSED'; readonly note?: string }
  | { readonly kind: 'FAILED'; readonly message: string }
  | { readonly kind: 'SKIPPED'; readonly why: string };

export interface CaseResult {
  readonly name: string;
  readonly verdict: Verdict;
}

/** Takes the content of a vector file and checks every case in it; throws MalformedFileError. */
export type Checker = (content: unknown) => CaseResult[];

/** The file is not what its name promises. */
export class MalformedFileError extends Error {
  override readonly name = 'MalformedFileError';
}

/** Makes a checker for a file whose `vectors` all have one shape; other keys are let pass. */
export function checker<S extends z.ZodType>(
  shape: S,
  nameOf: (vector: z.output<S>) => string,
  check: (vector: z.output<S>) => Verdict,
): Checker {
  const fileShape = z.object({ vectors: z.array(shape) });
  return (content) => {
    const parsed = fileShape.safeParse(content);
    if (!parsed.success) throw new MalformedFileError(z.prettifyError(parsed.error).replaceAll('\n', ' '));
    return parsed.data.vectors.map((vector) => ({ name: nameOf(vector), verdict: guarded(check, vector) }));
  };
}

/** Passes where both are the same, however deep. */
export function same(expected: unknown, got: unknown): Verdict {
  if (isDeepStrictEqual(expected, got)) return { kind: 'PASSED' };
  return { kind: 'FAILED', message: `expected ${show(expected)}, got ${show(got)}` };
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A checker that breaks fails its case and not the whole run. */
function guarded<V>(check: (vector: V) => Verdict, vector: V): Verdict {
  try {
    return check(vector);
  } catch (error) {
    return { kind: 'FAILED', message: `unexpected ${error instanceof Error ? error.stack : error}` };
  }
}
