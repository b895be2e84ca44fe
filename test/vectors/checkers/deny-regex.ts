// deny-regex.json: names against patterns of the deny list.

import { z } from 'zod';
import { DenyListError, parseDenyList } from '../../../services/provisioner/enrolment/deny-list.js';
import { checker, same } from '../checker.js';

const shape = z.object({
  name: z.string(),
  patterns: z.array(z.string()),
  denied: z.boolean(),
  /** A pattern does not compile. `denied` then says what the original does, which goes on without it. */
  invalid: z.boolean().optional(),
});

export const denyRegex = checker(
  shape,
  ({ name, patterns }) => `${JSON.stringify(name)} under ${JSON.stringify(patterns)}`,
  ({ name, patterns, denied, invalid }) =>
    same(invalid ? 'refused' : denied ? 'denied' : 'let pass', judge(name, patterns)),
);

function judge(name: string, patterns: readonly string[]): string {
  try {
    return parseDenyList(patterns).match(name) === undefined ? 'let pass' : 'denied';
  } catch (error) {
    if (error instanceof DenyListError) return 'refused';
    throw error;
  }
}
