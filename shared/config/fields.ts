// What settings are made of: each building block reads one kind of value from YAML or the environment, and its
// message says what was expected and what was there. Which settings there are is the services' to say.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { DurationError, durationMs, formatDuration } from '../durations.js';
import { AddressError, parseHostPort } from '../net/addresses.js';
import { parseCidr } from '../net/dial-policy.js';
import { Secret } from '../secret.js';
import { describeKind, expectedButGot } from './describe.js';
import { misplacedContent } from './misplaced.js';
import { suggestion } from './nearest.js';

/** Says which sentence an issue becomes, from what was expected. */
function expecting(expected: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => expectedButGot(expected, input);
}

/**
 * A duration in milliseconds, written as `30s`, `1m30s` or `7d`. Its default is written the same way:
 * `duration().prefault('1m')`.
 */
export function duration(bounds: { readonly min?: string; readonly max?: string } = {}) {
  const expected = 'a duration such as 30s, 1m30s or 7d';
  const error = ({ input }: { readonly input?: unknown }) => {
    const hint = typeof input === 'number' ? ` (it has no unit: ${input}s is seconds)` : '';
    return expectedButGot(expected, input) + hint;
  };
  return z.string({ error }).transform((text, context) => {
    const problem = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    try {
      const ms = durationMs(text);
      if (bounds.min !== undefined && ms < durationMs(bounds.min)) {
        return problem(`expected a duration of at least ${bounds.min}, got ${formatDuration(ms)}`);
      }
      if (bounds.max !== undefined && ms > durationMs(bounds.max)) {
        return problem(`expected a duration of at most ${bounds.max}, got ${formatDuration(ms)}`);
      }
      return ms;
    } catch (error) {
      if (error instanceof DurationError) return problem(error.message);
      throw error;
    }
  });
}

/** A text that is not empty, white space around it aside. `what` names it in messages: `a command`. */
export function text(what = 'a text', pattern = /./s) {
  const error = expecting(what);
  return z.string({ error }).trim().regex(pattern, { error });
}

/** A whole number within bounds, both included. */
export function wholeNumber(min = 0, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = ({ input }: { readonly input?: unknown }) => {
    const hint = typeof input === 'string' && /^\d+$/.test(input) ? ' (write it without quotes)' : '';
    return expectedButGot(`a whole number ${range}`, input) + hint;
  };
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** A TCP port to listen on; 0 has a meaning that the setting explains. */
export function port() {
  return wholeNumber(0, 65_535);
}

/** `true` or `false`, and nothing that looks like them. */
export function flag() {
  return z.boolean();
}

/** The address of a peer, `host:port` with IPv6 in brackets. */
export function hostPort() {
  return checked('host:port such as 10.0.0.1:7410, node.example.net:7410 or [::1]:7410', (value) => {
    if (parseHostPort(value).port === 0) throw new AddressError('port 0 is no port that can be reached');
  });
}

/** An address to listen on: as {@link hostPort}, and port 0 lets the system choose one. */
export function listenAddress() {
  return checked('an address to listen on such as 0.0.0.0:7410 or [::]:7410', parseHostPort);
}

/** A network such as `10.0.0.0/8`, as text; an address alone stands for itself. */
export function network() {
  return checked('a network such as 10.0.0.0/8 or fd00::/8', parseCidr);
}

/** A path. A relative one is made absolute, from the folder of the configuration file. */
export function path() {
  return resolving('a path', resolve);
}

/**
 * A text of which some forms are paths: `resolveIn` makes those absolute and gives back all else as it is. It
 * is called before the field is checked.
 */
export function resolving(what: string, resolveIn: (folder: string, value: string) => string) {
  const error = expecting(what);
  return z.string({ error }).min(1, { error }).superRefine(refuseContent).meta({ resolveIn });
}

/** What belongs into the file that is to be named would be shown in messages about that file. */
function refuseContent(value: string, context: z.RefinementCtx): void {
  const content = misplacedContent(value);
  if (content === undefined) return;
  const message = `expected a path, got ${content}; write it into a file and name that`;
  context.addIssue({ code: 'custom', message });
}

/** A host:port, or the path of a file that holds more of them. */
export function hostPortOrFile() {
  return resolving('host:port, or the path of a file of them', (folder, value) =>
    isHostPort(value) ? value : resolve(folder, value),
  );
}

/** A file that holds a key to verify tokens with, or an ed25519 public key itself, as 64 hex digits. */
export function verificationKey() {
  return resolving('the path of a key file, or 64 hex digits', (folder, value) => {
    const file = resolve(folder, value);
    return looksLikeHexKey(value) && !existsSync(file) ? value : file;
  });
}

/** One of a few words. */
export function enumOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, {
    error: ({ input }) => {
      const meant = typeof input === 'string' ? suggestion(input, values) : '';
      return expectedButGot(`one of ${values.join(', ')}`, input) + meant;
    },
  });
}

/** A list; in the environment, separated by commas. */
export function listOf<Item extends z.ZodType>(item: Item) {
  // The value is not shown: the list may be one of secrets.
  return z.array(item, { error: ({ input }) => expectedButGot('a list', input, describeKind(input)) });
}

/** A list that may be written as its only entry. */
export function oneOrList<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) => (Array.isArray(value) || value === undefined || value === null ? value : [value]),
    listOf(item).min(1),
  );
}

/** A secret text, white space around it aside. No message shows it. */
export function secret() {
  const error = ({ input }: { readonly input?: unknown }) => {
    const hint = typeof input === 'number' ? ' (put it in quotes)' : '';
    return expectedButGot('a text', input, describeKind(input)) + hint;
  };
  return z
    .string({ error })
    .trim()
    .min(1, { error })
    .transform((value) => new Secret(value));
}

type Widened<T> = T extends boolean ? boolean : T extends number ? number : string;

/**
 * A setting of something that this version cannot do yet. Its default passes; anything else is a problem that
 * says so.
 *
 * @param what is not available, as in "`what` is not available in this version"
 */
export function later(initial: undefined, what: string): z.ZodOptional<z.ZodType<undefined>>;
export function later<const T extends string | number | boolean>(
  initial: T,
  what: string,
): z.ZodDefault<z.ZodType<Widened<T>>>;
export function later(initial: string | number | boolean | undefined, what: string): z.ZodType {
  const expected = initial === undefined ? 'leave it out' : `leave it out, or ${JSON.stringify(initial)}`;
  const error = `${what} is not available in this version; ${expected}`;
  if (initial === undefined) return z.undefined({ error }).optional();
  return z.literal(initial, { error }).default(initial);
}

/** A text that `check` throws an AddressError for, where it is not what is expected. */
function checked(expected: string, check: (value: string) => void) {
  return z.string({ error: expecting(expected) }).superRefine((value, context) => {
    try {
      check(value);
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      context.addIssue({ code: 'custom', message: `expected ${expected}: ${error.message}` });
    }
  });
}

/** Whether it is one is for whoever reads the key to say; one of another length is no file either. */
function looksLikeHexKey(value: string): boolean {
  return /^\s*[0-9a-fA-F]{32,}\s*$/.test(value);
}

function isHostPort(value: string): boolean {
  try {
    return parseHostPort(value).port > 0;
  } catch (error) {
    if (error instanceof AddressError) return false;
    throw error;
  }
}
