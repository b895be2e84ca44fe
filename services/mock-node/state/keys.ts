// What a node's keys are, and what was made for them: a server token for its seed, a certificate for its private
// key. Nothing here is verified against anybody else's key.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { decodeJwt } from 'jose';
import { ed25519KeyFromSeed, rawPublicKey } from '../../../shared/trust/raw-keys.js';

/**
 * @param seed what server.seed holds
 * @returns the public key, lower case hex; undefined where it is no seed
 */
export function publicKeyOfSeed(seed: string): string | undefined {
  if (!/^[0-9a-f]{64}$/.test(seed)) return undefined;
  return rawPublicKey(ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
}

/** @returns the `public_key` of a server token, lower case; empty where it has none; undefined where it is no token */
export function publicKeyOfToken(token: string): string | undefined {
  try {
    const { public_key: publicKey } = decodeJwt(token.trim());
    return typeof publicKey === 'string' ? publicKey.toLowerCase() : '';
  } catch {
    return undefined;
  }
}

/** @returns the certificate, the first one of a PEM with several; undefined where there is none to be read */
export function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** False also where the key cannot be read. */
export function fitsKey(certificate: X509Certificate, privateKeyPem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(privateKeyPem));
  } catch {
    return false;
  }
}
