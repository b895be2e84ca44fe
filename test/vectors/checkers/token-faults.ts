// What is wrong with a token, found with Node's own cryptography and none of the service's code: so that a case
// that must be refused can be told from one that is refused for something else.

import { createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { TrustFault } from '../../../shared/trust/trust-error.js';

type Json = Readonly<Record<string, unknown>>;

/** @returns the faults of a provisioning token, none of which another one hides; empty where it is good */
export function provisioningFaults(token: string, keyText: string, now: number): TrustFault[] {
  const key = readKey(keyText);
  if (typeof key === 'string') return [key];
  const opened = open(token);
  if (opened === undefined) return ['MALFORMED'];
  const { claims } = opened;
  if (!allows(key, opened.alg)) return ['ALGORITHM'];
  if (!signedBy(opened, key)) return ['SIGNATURE'];
  const texts = ['cht', 'chu', 'chsrv', 'chrd', 'chf', 'chusr', 'chpwd', 'ou'];
  const faults = commonFaults(claims, now, texts, ['chs', 'chpd', 'v2', 'update']);
  if ((claims.purpose || claims.sub) !== 'choria_provisioning') faults.push('PURPOSE');
  if (claims.tcs) faults.push('CHAIN');
  return faults;
}

/** @returns the faults of a server token, none of which another one hides; empty where it is good */
export function serverFaults(token: string, keyText: string, now: number): TrustFault[] {
  const key = readKey(keyText);
  if (typeof key === 'string') return [key];
  const opened = open(token);
  if (opened === undefined) return ['MALFORMED'];
  const { claims } = opened;
  const chained = String(claims.iss ?? '').startsWith('C-');
  let signer = key;
  if (chained) {
    const chainOrFaults = followChain(claims, key);
    if (Array.isArray(chainOrFaults)) return chainOrFaults;
    signer = chainOrFaults;
  }
  if (!allows(signer, opened.alg)) return ['ALGORITHM'];
  if (!signedBy(opened, signer)) return ['SIGNATURE'];
  const faults = commonFaults(claims, now, ['identity', 'ou'], []);
  if (claims.purpose !== 'choria_server') faults.push('PURPOSE');
  if (claims.tcs && !chained) faults.push('CHAIN');
  if (chained && now >= Number(claims.issexp)) faults.push('EXPIRED');
  return faults;
}

interface Opened {
  readonly alg: string;
  readonly claims: Json;
  readonly data: Buffer;
  readonly signature: Buffer;
}

function open(token: string): Opened | undefined {
  const parts = token.trim().split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]*$/.test(part))) return undefined;
  try {
    const [head, claims] = [header, payload].map((part) =>
      JSON.parse(Buffer.from(part, 'base64url').toString()),
    );
    if (![head, claims].every((value) => value?.constructor === Object)) return undefined;
    return {
      alg: String(head.alg),
      claims,
      data: Buffer.from(`${header}.${payload}`),
      signature: Buffer.from(signature, 'base64url'),
    };
  } catch {
    return undefined;
  }
}

function readKey(text: string): KeyObject | TrustFault {
  const trimmed = text.trim();
  let key: KeyObject;
  try {
    if (trimmed.includes('PRIVATE KEY')) return 'KEY_UNSUITABLE';
    if (trimmed.includes('BEGIN CERTIFICATE')) key = new X509Certificate(trimmed).publicKey;
    else if (trimmed.includes('BEGIN')) key = createPublicKey(trimmed);
    else if (/^[0-9a-f]{64}$/i.test(trimmed)) key = ed25519(trimmed);
    else return 'MALFORMED';
  } catch {
    return 'MALFORMED';
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  const isLargeRsa =
    key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
  return isLargeRsa ? key : 'KEY_UNSUITABLE';
}

function ed25519(hex: string): KeyObject {
  const x = Buffer.from(hex, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function allows(key: KeyObject, alg: string): boolean {
  return key.asymmetricKeyType === 'ed25519' ? alg === 'EdDSA' : /^RS(?:256|384|512)$/.test(alg);
}

function signedBy({ alg, data, signature }: Opened, key: KeyObject): boolean {
  return verify(alg === 'EdDSA' ? null : `sha${alg.slice(2)}`, data, key, signature);
}

/** @returns the key of the chain's issuer, or what is wrong */
function followChain(claims: Json, organization: KeyObject): KeyObject | TrustFault[] {
  const faults: TrustFault[] = [];
  const { jti, iat, exp, issexp, public_key: publicKey, iss, tcs } = claims;
  if (!jti || !iat || !exp || !issexp || !publicKey) faults.push('CLAIM');
  if (ksuidTime(String(jti)) !== Number(iat)) faults.push('CLAIM');
  const [id, issuerKey = '', ...more] = String(iss).slice(2).split('.');
  const [first = '', second = '', ...others] = String(tcs ?? '').split('.');
  const twoParts = more.length === 0 && others.length === 0 && id && first && second;
  if (!twoParts || !/^[0-9a-f]{64}$/i.test(issuerKey)) return [...faults, 'CHAIN'];
  const key = ed25519(issuerKey);
  const links: [string, KeyObject, string][] = [
    [`${id}.${issuerKey}`, organization, first],
    [`${jti}.${first}`, key, second],
  ];
  for (const [data, signer, signature] of links) {
    if (!verify(null, Buffer.from(data), signer, Buffer.from(signature, 'hex'))) faults.push('CHAIN');
  }
  return faults.length > 0 ? faults : key;
}

function ksuidTime(text: string): number | undefined {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  if (text.length !== 27) return undefined;
  const value = [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
  return Number(value >> 128n) + 1_400_000_000;
}

function commonFaults(
  claims: Json,
  now: number,
  texts: readonly string[],
  flags: readonly string[],
): TrustFault[] {
  const faults: TrustFault[] = [];
  const isBad = (name: string, type: string) => claims[name] != null && typeof claims[name] !== type;
  if ([...texts, 'purpose', 'tcs', 'public_key', 'iss', 'sub', 'jti'].some((name) => isBad(name, 'string'))) {
    faults.push('CLAIM');
  }
  if (flags.some((name) => isBad(name, 'boolean'))) faults.push('CLAIM');
  const { collectives, pub_subjects: subjects, extensions, permissions } = claims;
  if (![collectives, subjects].every((list) => list == null || Array.isArray(list))) faults.push('CLAIM');
  if (![extensions, permissions].every((map) => map == null || map.constructor === Object)) {
    faults.push('CLAIM');
  }
  if (!['exp', 'nbf', 'iat', 'issexp'].every((name) => isTime(claims[name]))) faults.push('CLAIM');
  if (claims.exp != null && now >= Number(claims.exp)) faults.push('EXPIRED');
  if (claims.nbf != null && now < Number(claims.nbf)) faults.push('NOT_YET_VALID');
  return faults;
}

function isTime(value: unknown): boolean {
  if (value == null || typeof value === 'number') return true;
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
}
