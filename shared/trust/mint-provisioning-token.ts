// Makes provisioning tokens, with every claim that Choria knows for them and in its order.

import type { Secret } from '../secret.js';
import { newKsuid } from './ksuid.js';
import { provisioningPurpose } from './provisioning-token.js';
import { type SigningKey, signToken } from './signing-key.js';

/** What a node that boots with the token is told by it. What is left out is left out of the token. */
export interface NewProvisioningToken {
  /** `cht`. */
  readonly secret: Secret;
  /** Unix seconds; undefined: does not expire. */
  readonly expiresAt?: number;
  /** `chpd`. Default false. */
  readonly provisioningByDefault?: boolean;
  /** Hex SHA-256 of the CA certificate (DER); becomes `extensions.slipway_ca_sha256`. */
  readonly caSha256?: string;
  /** `ou`. Default `choria`. */
  readonly organization?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** `chs`: the brokers must be reached over TLS. Default false. */
  readonly secure?: boolean;
  /** `chu`: brokers. */
  readonly urls?: readonly string[];
  /** `chsrv`: the domain whose SRV records name the brokers. */
  readonly srvDomain?: string;
  /** `chrd` and `chf`: files of the node. */
  readonly registrationFile?: string;
  readonly factsFile?: string;
  /** `chusr` and `chpwd`: for the brokers. */
  readonly username?: string;
  readonly password?: Secret;
  /** `v2`: Choria's protocol version 2. */
  readonly protocolV2?: boolean;
  /** `update`: the release may be replaced. */
  readonly allowUpdate?: boolean;
}

/**
 * @param now Unix seconds, whole ones: nbf, iat and the time of the id
 * @returns the token in its compact form
 */
export function mintProvisioningToken(
  token: NewProvisioningToken,
  key: SigningKey,
  now: number,
): Promise<string> {
  const claims = {
    cht: token.secret.reveal(),
    chs: token.secure ?? false,
    chu: token.urls?.join(',') || undefined,
    chsrv: token.srvDomain || undefined,
    chpd: token.provisioningByDefault ?? false,
    chrd: token.registrationFile || undefined,
    chf: token.factsFile || undefined,
    chusr: token.username || undefined,
    chpwd: token.password?.reveal() || undefined,
    extensions: extensionsOf(token),
    ou: token.organization || 'choria',
    v2: token.protocolV2 || undefined,
    update: token.allowUpdate || undefined,
    purpose: provisioningPurpose,
    iss: 'Choria Tokens Package',
    sub: provisioningPurpose,
    exp: token.expiresAt,
    nbf: now,
    iat: now,
    jti: newKsuid(now),
  };
  return signToken(claims, key);
}

/** Null without any, as Choria has it. */
function extensionsOf({ extensions, caSha256 }: NewProvisioningToken): object | null {
  if (extensions === undefined && caSha256 === undefined) return null;
  return { ...extensions, ...(caSha256 !== undefined && { slipway_ca_sha256: caSha256 }) };
}
