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

const fileShape = z.object({ vectors: z.array(z.unknown()) });

/**
 * Makes a checker for a file whose `vectors` all have one shape; other keys are let pass. A case of another shape
 * fails, and the others are checked all the same.
 */
export function checker<S extends z.ZodType>(
  shape: S,
  nameOf: (vector: z.output<S>) => string,
  check: (vector: z.output<S>) => Verdict,
): Checker {
  return (content) => {
    const file = fileShape.safeParse(content);
    if (!file.success) throw new MalformedFileError(inOneLine(file.error));
    return file.data.vectors.map((vector, index) => {
      const parsed = shape.safeParse(vector);
      if (parsed.success) return { name: nameOf(parsed.data), verdict: guarded(check, parsed.data) };
      return { name: `vectors[${index}]`, verdict: { kind: 'FAILED', message: inOneLine(parsed.error) } };
    });
  };
}

function inOneLine(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`)
    .join('; ');
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
