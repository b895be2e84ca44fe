// What a node's server token will say (design, section 8: Server token). Signing it is the issuer's matter.

import type { ServerTokenClaims } from '../../../shared/trust/server-token.js';
import type { HelperReply } from '../helper/helper.js';

/** Numbers under it are seconds from now, as in the original manual's own example; from it on, Unix seconds. */
const leastMoment = 1_000_000_000;
/** What expires sooner would be of no use to the node, seconds. */
const leastValidity = 60;

const defaultOrganisation = 'choria';

/** Where a token's expiry comes from. */
export type ExpiryRule = 'DEFAULT' | 'SECONDS_FROM_NOW' | 'REPLY';

export interface ServerClaimsContext {
  readonly identity: string;
  /** Hex ed25519 public key of the node. */
  readonly publicKey: string;
  /** Unix seconds. */
  readonly now: number;
  /** How long a token is valid where the helper does not say, milliseconds. */
  readonly serverJwtValidityMs: number;
}

export type ServerClaimsResult =
  | { readonly kind: 'CLAIMS'; readonly claims: ServerTokenClaims; readonly expiryRule: ExpiryRule }
  /** The helper wants a token that would be no good. */
  | { readonly kind: 'EXPIRED'; readonly message: string };

/** The claims, in rising precedence: defaults, the configuration's `collectives`, the helper's `server_claims`. */
export function serverClaimsOf(reply: HelperReply, context: ServerClaimsContext): ServerClaimsResult {
  const { identity, publicKey } = context;
  const { ou, exp, pubSubjects, permissions } = reply.serverClaims ?? {};
  const { expiresAt, rule } = expiryOf(exp, context);
  const left = expiresAt - context.now;
  if (left < leastValidity) return { kind: 'EXPIRED', message: tooSoon(exp, left) };
  return {
    kind: 'CLAIMS',
    expiryRule: rule,
    claims: {
      identity,
      publicKey,
      ou: ou || defaultOrganisation,
      collectives: collectivesOf(reply),
      ...(pubSubjects && pubSubjects.length > 0 && { pubSubjects }),
      ...(permissions && { permissions }),
      expiresAt,
    },
  };
}

function expiryOf(
  exp: number | undefined,
  { now, serverJwtValidityMs }: ServerClaimsContext,
): { expiresAt: number; rule: ExpiryRule } {
  if (exp === undefined) return { expiresAt: whole(now + serverJwtValidityMs / 1000), rule: 'DEFAULT' };
  if (exp < leastMoment) return { expiresAt: whole(now + exp), rule: 'SECONDS_FROM_NOW' };
  return { expiresAt: whole(exp), rule: 'REPLY' };
}

/** Tokens have whole seconds; what was asked for is never widened. */
function whole(seconds: number): number {
  return Math.min(Math.floor(seconds), Number.MAX_SAFE_INTEGER);
}

function tooSoon(exp: number | undefined, left: number): string {
  const when = left < 0 ? `${-left} s ago` : `in ${left} s`;
  return (
    `server_claims.exp is ${exp ?? 'absent'}, which is ${when}: expected at least ${leastValidity} seconds from now, ` +
    'as a number under 1000000000, or a later moment in Unix seconds'
  );
}

function collectivesOf({ serverClaims, configuration }: HelperReply): readonly string[] {
  if (serverClaims?.collectives && serverClaims.collectives.length > 0) return serverClaims.collectives;
  const configured = configuration.get('collectives');
  // Not trimmed: nodes do not trim it either, and both must name the same collectives.
  if (configured) return configured.split(',');
  return [configuration.get('plugin.security.provider') === 'choria' ? 'choria' : 'mcollective'];
}
