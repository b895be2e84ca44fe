// What callers of the event service send, checked and in the words of the log.

import { z } from 'zod';
import { EventType } from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { Outcome } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import { parseIdentity, parseRunId } from '../../../shared/identity.js';
import { type EventFilter, everyEvent } from '../events/watch/filter.js';
import { choices } from './arguments.js';
import { identityPrefixArgument } from './identity-argument.js';

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where a watch may start after. A sequence that JavaScript does not hold exactly is beyond every log. */
export const positionSchema = z.object({
  logId: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.string().regex(uuidPattern, 'expected the id of a log: a UUID')),
  sequence: z.bigint().min(0n, 'expected 0 or more').transform(Number),
});

/** Which events; nothing means all. */
export const filterSchema = z
  .object({
    types: choices(named(EventType, 'type')).transform((types) => new Set<string>(types)),
    outcomes: choices(named(Outcome, 'outcome')).transform((outcomes) => new Set<string>(outcomes)),
    identityPrefix: identityPrefixArgument,
    identity: emptyOr(parseIdentity, 'is no identity: 1 to 253 of a-z, 0-9, dot, hyphen and underscore'),
    runId: emptyOr(parseRunId, 'is no run id: a UUID'),
  })
  .optional()
  .transform((filter): EventFilter => filter ?? everyEvent);

type Names<E> = Exclude<keyof E, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

/** The name of a number of an enum, other than UNSPECIFIED. */
function named<const E extends Readonly<Record<string, number>>>(numbers: E, what: string) {
  const names = new Map(Object.entries(numbers).map(([name, number]) => [number, name]));
  return z.number().transform((number, context): Names<E> => {
    const name = number > 0 ? names.get(number) : undefined;
    if (name !== undefined) return name as Names<E>;
    context.addIssue({ code: 'custom', message: `${number} is no ${what}` });
    return z.NEVER;
  });
}

function emptyOr(parse: (text: string) => string | undefined, problem: string) {
  return z.string().transform((text, context): string => {
    const parsed = text === '' ? '' : parse(text);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  });
}
