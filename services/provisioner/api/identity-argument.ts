// The identity that a request names: folded like everywhere else.

import { z } from 'zod';
import { type Identity, parseIdentity } from '../../../shared/identity.js';

export const identityArgument = z.string().transform((text, context): Identity => {
  const identity = parseIdentity(text);
  if (identity !== undefined) return identity;
  const message =
    text === '' ? 'is missing' : 'is no identity: 1 to 253 of a-z, 0-9, dot, hyphen and underscore';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
