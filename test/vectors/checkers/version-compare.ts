// version-compare.json: the order of releases.

import { z } from 'zod';
import { compareReleases } from '../../../services/provisioner/run/release-version.js';
import { checker, same } from '../checker.js';

/** `expected`: -1 where a is older than b, 0 where they are the same, 1 where it is newer. */
const shape = z.object({ a: z.string(), b: z.string(), expected: z.literal([-1, 0, 1]) });

export const versionCompare = checker(
  shape,
  ({ a, b }) => `${JSON.stringify(a)} and ${JSON.stringify(b)}`,
  ({ a, b, expected }) => same(expected, compareReleases(a, b)),
);
