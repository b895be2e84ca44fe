// The identity that a request names, or how it begins: folded like everywhere else.

import { z } from 'zod';
import { type Identity, parseIdentity } from '../../../shared/identity.js';

/** An identity in lower case; what is none is refused with what one looks like. */
export const identityArgument = z.string().transform((text, context): Identity => {
  const identity = parseIdentity(text);
  if (identity !== undefined) return identity;
  const message =
    text === '' ? 'is missing' : 'is no identity: 1 to 253 of a-z, 0-9, dot, hyphen and underscore';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const longestIdentity = 253;

/** How the identities begin that a request selects. A watch holds it as long as it lasts. */
export const identityPrefixArgument = z
  .string()
  .max(longestIdentity, `is longer than any identity: at most ${longestIdentity} characters`)
  .transform((prefix) => prefix.toLowerCase());
