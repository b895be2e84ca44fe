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

/** Takes the content of a vector file and checks every case in it; rejects with MalformedFileError. */
export type Checker = (content: unknown) => Promise<CaseResult[]>;

/** The file is not what its name promises. */
export class MalformedFileError extends Error {
  override readonly name = 'MalformedFileError';
}

const anyFile = z.object({});

/**
 * Makes a checker for a file whose cases all have one shape; other keys are let pass. A case of another shape fails,
 * and the others are checked all the same.
 *
 * @param check is also given what the file says beside its cases
 * @param file where the cases stand, and the shape of what stands beside them
 */
export function checker<S extends z.ZodType, F extends z.ZodType = typeof anyFile>(
  shape: S,
  nameOf: (vector: z.output<S>) => string,
  check: (vector: z.output<S>, file: z.output<F>) => Verdict | Promise<Verdict>,
  file: { readonly cases?: string; readonly shape?: F } = {},
): Checker {
  const { cases = 'vectors' } = file;
  const fileShape = z.object({ [cases]: z.array(z.unknown()) });
  return async (content) => {
    const list = wellFormed(fileShape, content)[cases] ?? [];
    const beside = wellFormed<z.ZodType>(file.shape ?? anyFile, content) as z.output<F>;
    const results: CaseResult[] = [];
    for (const [index, vector] of list.entries()) {
      const parsed = shape.safeParse(vector);
      if (parsed.success) {
        const verdict = await guarded(() => check(parsed.data, beside));
        results.push({ name: nameOf(parsed.data), verdict });
      } else {
        results.push({
          name: `${cases}[${index}]`,
          verdict: { kind: 'FAILED', message: inOneLine(parsed.error) },
        });
      }
    }
    return results;
  };
}

/** One checker of several: for a file with several lists of cases. */
export function together(...checkers: readonly Checker[]): Checker {
  return async (content) => {
    const results: CaseResult[] = [];
    for (const check of checkers) results.push(...(await check(content)));
    return results;
  };
}

/** Gives a checker another content: for cases that stand deeper in the file, or are not in a list there. */
export function within<S extends z.ZodType>(
  shape: S,
  select: (content: z.output<S>) => unknown,
  check: Checker,
): Checker {
  return async (content) => check(select(wellFormed(shape, content)));
}

function wellFormed<S extends z.ZodType>(shape: S, content: unknown): z.output<S> {
  const parsed = shape.safeParse(content);
  if (!parsed.success) throw new MalformedFileError(inOneLine(parsed.error));
  return parsed.data;
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
async function guarded(check: () => Verdict | Promise<Verdict>): Promise<Verdict> {
  try {
    return await check();
  } catch (error) {
    return { kind: 'FAILED', message: `unexpected ${error instanceof Error ? error.stack : error}` };
  }
}
