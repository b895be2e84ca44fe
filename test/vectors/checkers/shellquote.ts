// shellquote.json: the `helper` setting split into words.

import { z } from 'zod';
import { splitWords, WordsError } from '../../../services/provisioner/helper/words.js';
import { checker, same } from '../checker.js';

const shape = z.object({
  input: z.string(),
  words: z.array(z.string()).nullable(),
  error: z.string().nullable().optional(),
});

export const shellquote = checker(
  shape,
  ({ input }) => JSON.stringify(input),
  ({ input, words, error }) => same(words ?? `error: ${error ?? ''}`, read(input, typeof error === 'string')),
);

function read(input: string, messageMatters: boolean): string[] | string {
  try {
    return splitWords(input);
  } catch (error) {
    if (error instanceof WordsError) return `error: ${messageMatters ? error.message : ''}`;
    throw error;
  }
}
