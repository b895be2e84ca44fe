// What is odd about a helper's reply and would stop no run by itself: keys that are not known, that are spelled otherwise
// or given twice, wishes that count for nothing, and what an agent would refuse. Pure.

import { suggestion } from '../../../../shared/config/nearest.js';
import { pathOf } from '../../helper/fields.js';
import type { HelperReply } from '../../helper/helper.js';
import { type JsonMember, parseJson } from '../../helper/json.js';
import type { RunFeatures } from '../../run/run-context.js';
import { refusedByAgents } from './refused-by-agents.js';

const mostShown = 50;

const replyKeys = [
  'identity',
  'defer',
  'shutdown',
  'msg',
  'key',
  'certificate',
  'ca',
  'ssldir',
  'upgrade',
  'configuration',
  'action_policies',
  'opa_policies',
  'server_claims',
  'retry_after',
];

/** The objects of the reply whose keys are fixed, by their path. */
const fixedObjects: ReadonlyMap<string, readonly string[]> = new Map([
  ['', replyKeys],
  ['server_claims', ['ou', 'exp', 'collectives', 'pub_subjects', 'permissions']],
  ['server_claims.permissions', ['submission', 'streams', 'governor', 'service_host']],
]);

export interface Circumstances {
  readonly features: RunFeatures;
  /** Whether the node is in provisioning mode unless its configuration says otherwise. */
  readonly provisioningByDefault: boolean;
}

/**
 * @param text what the helper wrote
 * @param reply what was understood
 * @returns sentences for people, each beginning with the path of a key; never values
 */
export function oddities(text: string, reply: HelperReply, circumstances: Circumstances): string[] {
  const root = parseJson(text);
  const keys = root.type === 'object' ? oddKeys('', '', root.members) : [];
  const found = [...keys, ...idleWishes(reply, circumstances.features), ...refusals(reply, circumstances)];
  const more = found.length - mostShown;
  return more > 0 ? [...found.slice(0, mostShown), `and ${more} more`] : found;
}

/** @param path in lower case @param shown as the helper spelled it */
function oddKeys(path: string, shown: string, members: readonly JsonMember[]): string[] {
  const known = fixedObjects.get(path);
  if (known === undefined) return [];
  const seen = new Set<string>();
  return members.flatMap(({ key, value }) => {
    if (value.type === 'null') return [];
    const name = key.toLowerCase();
    const shownKey = pathOf(shown, key);
    if (!known.includes(name))
      return [`${shownKey}: is not known and counts for nothing${suggestion(key, known)}`];
    const odd: string[] = [];
    if (key !== name) odd.push(`${shownKey}: is read as ${name}`);
    if (seen.has(name)) odd.push(`${shownKey}: is given more than once; the last counts`);
    seen.add(name);
    const nested = path === '' ? name : `${path}.${name}`;
    return value.type === 'object' ? [...odd, ...oddKeys(nested, shownKey, value.members)] : odd;
  });
}

function idleWishes(reply: HelperReply, features: RunFeatures): string[] {
  const { defer, shutdown, msg, retryAfterMs, upgrade, serverClaims } = reply;
  const odd: string[] = [];
  if (defer && shutdown) odd.push('shutdown: counts for nothing, for defer beats it');
  if (!defer && retryAfterMs !== undefined) odd.push('retry_after: counts only with defer');
  if (!defer && shutdown && msg === '') odd.push('msg: gives no reason for the shutdown');
  if (upgrade !== '' && !features.upgrades) {
    odd.push('upgrade: counts for nothing, for features.upgrades is off');
  }
  if (serverClaims !== undefined && !features.ed25519) {
    odd.push('server_claims: counts for nothing, for features.ed25519 is off');
  }
  return odd;
}

/** Of a reply with which the node would be configured. */
function refusals(reply: HelperReply, { provisioningByDefault }: Circumstances): string[] {
  return reply.defer || reply.shutdown ? [] : refusedByAgents(reply, provisioningByDefault);
}
