// Tokens as RFC 7515 and Choria write them, read, verified and made by hand: what services make is judged here by
// code that they do not run.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';

export interface CompactToken {
  readonly header: unknown;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The bytes that the signature is over. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** @throws Error where the text is not three parts of base64url without padding, two of them JSON */
export function openCompactToken(text: string): CompactToken {
  const parts = text.split('.');
  const [header, claims, signature] = parts.map((part) => {
    const bytes = Buffer.from(part, 'base64url');
    if (bytes.toString('base64url') !== part) throw new Error(`no base64url: ${part.slice(0, 40)}`);
    return bytes;
  });
  if (parts.length !== 3 || !header || !claims || !signature) throw new Error(`${parts.length} parts`);
  return {
    header: JSON.parse(header.toString()),
    claims: JSON.parse(claims.toString()),
    signed: Buffer.from(text.slice(0, text.lastIndexOf('.'))),
    signature,
  };
}

/** @param publicKey hex, ed25519 */
export function isSignedBy({ signed, signature }: CompactToken, publicKey: string): boolean {
  return verify(null, signed, ed25519PublicKey(publicKey), signature);
}

/**
 * Follows the chain of issuers of a token.
 *
 * @param organisation hex public key
 * @returns hex public key of the issuer, which must have signed the token
 * @throws Error that says which part of the chain does not hold
 */
export function issuerInChain({ claims }: CompactToken, organisation: string): string {
  const [issuerId, issuerKey, ...moreOfIssuer] = String(claims.iss).replace(/^C-/, '').split('.');
  const [ofOrganisation, ofIssuer, ...moreOfChain] = String(claims.tcs).split('.');
  if (!issuerId || !issuerKey || !ofOrganisation || !ofIssuer) throw new Error('half a chain');
  if (moreOfIssuer.length + moreOfChain.length > 0) throw new Error('more than a chain');
  const holds = (data: string, publicKey: string, signature: string) =>
    verify(null, Buffer.from(data), ed25519PublicKey(publicKey), Buffer.from(signature, 'hex'));
  if (!holds(`${issuerId}.${issuerKey}`, organisation, ofOrganisation)) {
    throw new Error('the organisation did not sign for the issuer');
  }
  if (!holds(`${claims.jti}.${ofOrganisation}`, issuerKey, ofIssuer)) {
    throw new Error('the issuer did not sign for the token');
  }
  return issuerKey;
}

export interface Ed25519Pair {
  /** Hex. */
  readonly seed: string;
  /** Hex. */
  readonly publicKey: string;
  readonly key: KeyObject;
}

export function newEd25519Pair(): Ed25519Pair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32).toString('hex');
  return { seed, publicKey: publicKeyOf(seed), key: privateKey };
}

/** @returns hex public key of a hex seed */
export function publicKeyOf(seed: string): string {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(seed, 'hex'),
  ]);
  const key = createPublicKey(createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }));
  return key.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
}

/** @param publicKey hex */
export function ed25519PublicKey(publicKey: string): KeyObject {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(publicKey, 'hex')]);
  return createPublicKey({ key: der, type: 'spki', format: 'der' });
}

/**
 * Makes the token that a chain begins with: the organisation lets the issuer's key sign for nodes.
 *
 * @param expiresAt Unix seconds
 * @param now Unix seconds
 */
export function newSigningToken(
  organisation: Ed25519Pair,
  issuer: Ed25519Pair,
  expiresAt: number,
  now: number,
): string {
  const jti = newKsuid(now);
  const claims = {
    callerid: 'choria=provisioner',
    ou: 'choria',
    purpose: 'choria_client_id',
    tcs: sign(null, Buffer.from(`${jti}.${issuer.publicKey}`), organisation.key).toString('hex'),
    public_key: issuer.publicKey,
    iss: `I-${organisation.publicKey}`,
    exp: expiresAt,
    nbf: now,
    iat: now,
    jti,
  };
  const parts = [{ alg: 'EdDSA', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = parts.join('.');
  return `${signed}.${sign(null, Buffer.from(signed), organisation.key).toString('base64url')}`;
}

const ksuidDigits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ksuidEpoch = 1_400_000_000;

/** @returns Unix seconds of a KSUID; NaN where it is none */
export function secondsOfKsuid(id: string): number {
  if (!/^[0-9A-Za-z]{27}$/.test(id)) return Number.NaN;
  const value = [...id].reduce((sum, digit) => sum * 62n + BigInt(ksuidDigits.indexOf(digit)), 0n);
  return Number(value >> 128n) + ksuidEpoch;
}

function newKsuid(seconds: number): string {
  let value = (BigInt(seconds - ksuidEpoch) << 128n) | BigInt(`0x${randomBytes(16).toString('hex')}`);
  let id = '';
  for (let digit = 0; digit < 27; digit++, value /= 62n) id = ksuidDigits[Number(value % 62n)] + id;
  return id;
}
