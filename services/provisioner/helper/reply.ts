// Checks what the helper wrote and makes the reply of it (design, section 7). How the helper ended is
// judge.ts's matter.

import { DurationError, durationMs } from '../../../shared/durations.js';
import { type Identity, parseIdentity } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import {
  booleanField,
  type Field,
  FieldError,
  fixedKeys,
  mismatch,
  numberField,
  objectField,
  stringField,
  stringMapField,
  stringsField,
} from './fields.js';
import { HelperError, type HelperReply, type ServerClaims, type ServerPermissions } from './helper.js';
import { JsonError, parseJson } from './json.js';

/** The helper answered about another node than the one that it was asked about. */
export class OtherNodeError extends FieldError {
  constructor(path: string, named: string, asked: Identity) {
    const shown = parseIdentity(named) ?? 'what is no name of a node';
    super(`${path}: the answer is for ${shown}, and ${asked} was asked about`);
  }
}

const longestRetryAfterMs = 24 * 60 * 60 * 1000;

/**
 * Reads the helper's output: one JSON object with nothing but white space around it.
 *
 * @param asked the node that a helper was asked about which lives on, whose answer may say for which node it is;
 * without, that says nothing
 * @throws HelperError HELPER_INVALID, whose message has the place of a syntax error or the path of a key
 * and what was expected there
 */
export function parseReply(text: string, asked?: Identity): HelperReply {
  try {
    const root = parseJson(text);
    if (root.type !== 'object') throw mismatch({ path: '', value: root }, 'an object');
    const fields = fixedKeys('', root.members);
    // Before anything else: of what is another node's it does not matter what is wrong with it.
    if (asked !== undefined) checkIdentity(fields.get('identity'), asked);
    return readReply(fields);
  } catch (error) {
    if (error instanceof JsonError || error instanceof FieldError) {
      throw new HelperError('HELPER_INVALID', error.message, { cause: error });
    }
    throw error;
  }
}

function checkIdentity(field: Field | undefined, asked: Identity): void {
  const named = stringField(field);
  if (field === undefined || named === undefined || parseIdentity(named) === asked) return;
  throw new OtherNodeError(field.path, named, asked);
}

function readReply(fields: ReadonlyMap<string, Field>): HelperReply {
  const serverClaims = readServerClaims(objectField(fields.get('server_claims')));
  return {
    defer: booleanField(fields.get('defer')) ?? false,
    shutdown: booleanField(fields.get('shutdown')) ?? false,
    msg: stringField(fields.get('msg')) ?? '',
    key: secretOf(stringField(fields.get('key')) ?? ''),
    certificate: stringField(fields.get('certificate')) ?? '',
    ca: stringField(fields.get('ca')) ?? '',
    ssldir: stringField(fields.get('ssldir')) ?? '',
    upgrade: stringField(fields.get('upgrade')) ?? '',
    configuration: stringMapField(fields.get('configuration')),
    actionPolicies: stringMapField(fields.get('action_policies')),
    opaPolicies: stringMapField(fields.get('opa_policies')),
    retryAfterMs: readRetryAfter(fields.get('retry_after')),
    ...(serverClaims && { serverClaims }),
  };
}

function secretOf(text: string): Secret | undefined {
  return text === '' ? undefined : new Secret(text);
}

/** A duration; "" is as absent, and what is over 24 h counts as 24 h. */
function readRetryAfter(field: Field | undefined): number | undefined {
  if (field === undefined) return undefined;
  if (field.value.type !== 'string') throw noDuration(field);
  const text = field.value.value;
  if (text === '') return undefined;
  try {
    return Math.min(durationMs(text), longestRetryAfterMs);
  } catch (error) {
    if (error instanceof DurationError) throw noDuration(field);
    throw error;
  }
}

function noDuration(field: Field): FieldError {
  const { value } = field;
  const text = value.type === 'number' ? value.text : value.type === 'string' ? value.value : '';
  const error = mismatch(field, 'a duration such as "90s"', 'quote');
  if (!/^\d{1,9}$/.test(text)) return error;
  return new FieldError(`${error.message} (a number alone has no unit: "${text}s" is seconds)`);
}

/** Other claims, among them those that only Slipway may make, are dropped. */
function readServerClaims(fields: ReadonlyMap<string, Field> | undefined): ServerClaims | undefined {
  if (fields === undefined) return undefined;
  const ou = stringField(fields.get('ou'));
  const exp = numberField(fields.get('exp'));
  const collectives = stringsField(fields.get('collectives'));
  const pubSubjects = stringsField(fields.get('pub_subjects'));
  const permissions = readPermissions(objectField(fields.get('permissions')));
  return {
    ...(ou !== undefined && { ou }),
    ...(exp !== undefined && { exp }),
    ...(collectives && { collectives }),
    ...(pubSubjects && { pubSubjects }),
    ...(permissions && { permissions }),
  };
}

function readPermissions(fields: ReadonlyMap<string, Field> | undefined): ServerPermissions | undefined {
  if (fields === undefined) return undefined;
  const submission = booleanField(fields.get('submission'));
  const streams = booleanField(fields.get('streams'));
  const governor = booleanField(fields.get('governor'));
  const serviceHost = booleanField(fields.get('service_host'));
  return {
    ...(submission !== undefined && { submission }),
    ...(streams !== undefined && { streams }),
    ...(governor !== undefined && { governor }),
    ...(serviceHost !== undefined && { serviceHost }),
  };
}
