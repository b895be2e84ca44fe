// How many items of a list a request asks for: the same for every RPC that lists.

import { z } from 'zod';
import { pageSizeOf, pageSizeProblem } from '../../../shared/wire/pages.js';

/** The size of the page: what is not asked for is the usual one, and more than the largest counts as the largest. */
export const pageSizeArgument = z.number().transform((asked, context): number => {
  const size = pageSizeOf(asked);
  if (size !== undefined) return size;
  context.addIssue({ code: 'custom', message: pageSizeProblem });
  return z.NEVER;
});
