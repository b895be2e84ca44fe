// Rules over several settings at once, such as that one timeout must be longer than another.

import { z } from 'zod';
import { dotted } from './issues.js';

/**
 * A check for a schema of settings: `schema.check(rule(['run_timeout', 'upgrade_timeout'], (c) => …))`. It is
 * judged also where other settings are wrong, so that all problems are reported at once.
 *
 * @param needs dotted paths of the settings it reads; it is not judged while one of them is wrong. The first
 *   is the one that the problem is reported at.
 * @param judge returns what is wrong, or undefined
 */
export function rule<Config>(
  needs: readonly [string, ...string[]],
  judge: (config: Config) => string | undefined,
): z.core.$ZodCheck<Config> {
  const check = z.superRefine<Config>((config, context) => {
    const message = judge(config);
    if (message !== undefined) context.addIssue({ code: 'custom', path: needs[0].split('.'), message });
  });
  check._zod.def.when = ({ issues }) =>
    !issues.some((issue) => {
      const wrong = dotted(issue.path ?? []);
      return needs.some((need) => covers(need, wrong) || covers(wrong, need));
    });
  return check;
}

function covers(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}
