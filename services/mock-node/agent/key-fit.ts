// Whether what Configure brings was made for the keys that the node has now (design, section 3: KEY_CHANGED), and
// the private key that it brings, decrypted. What can be checked without the node's keys, arguments.ts has checked.

import { decryptKey, sharedSecret, type X25519Pair } from '../../../shared/trust/key-transfer.js';
import { TrustError } from '../../../shared/trust/trust-error.js';
import { fitsKey, publicKeyOfSeed, publicKeyOfToken, readCertificate } from '../state/keys.js';
import { sslFolder } from '../state/layout.js';
import type { OwnKeys } from '../state/node-store.js';
import type { Configuration } from './configuration.js';
import type { Refusal } from './refusal.js';

export interface NodeKeys extends OwnKeys {
  /** Of the last GetJwt; undefined before the first of this boot. */
  readonly exchange: X25519Pair | undefined;
}

export type Fit =
  | {
      readonly ok: true;
      /** PKCS#1; empty where no key came. */
      readonly privateKeyPem: string;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** @param folder where key and certificates are to be, relative to the node's folder */
export function fitToKeys(configuration: Configuration, folder: string, keys: NodeKeys): Fit {
  const key = readKey(configuration, keys.exchange);
  if (!key.ok) return key;
  const own = folder === sslFolder ? keys.csrKeyPem : undefined;
  const refusal =
    checkCertificate(configuration.certificatePem, key.privateKeyPem || own) ??
    checkToken(configuration.serverJwt, keys.seed);
  return refusal === undefined ? key : { ok: false, refusal };
}

function readKey({ keyPem, ...exchanged }: Configuration, pair: X25519Pair | undefined): Fit {
  if (exchanged.nodeEcdhPublic.length > 0 && !pair?.publicKey.equals(exchanged.nodeEcdhPublic)) {
    return refused({ reason: 'KEY_CHANGED', what: "node_ecdh_public: is not the node's present key" });
  }
  if (keyPem === '' || pair === undefined) return { ok: true, privateKeyPem: '' };
  try {
    const secret = sharedSecret(pair.privateKey, exchanged.provisionerEcdhPublic);
    return { ok: true, privateKeyPem: decryptKey(keyPem, secret).reveal() };
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    const violations = [{ field: 'key_pem', description: error.message }];
    return refused({ reason: 'ARGUMENT_INVALID', violations });
  }
}

function checkCertificate(certificatePem: string, privateKeyPem: string | undefined): Refusal | undefined {
  if (certificatePem === '') return undefined;
  if (privateKeyPem === undefined) {
    return { reason: 'KEY_CHANGED', what: 'certificate_pem: there is no private key for it in ssl_dir' };
  }
  const certificate = readCertificate(certificatePem);
  if (certificate !== undefined && fitsKey(certificate, privateKeyPem)) return undefined;
  return { reason: 'KEY_CHANGED', what: 'certificate_pem: does not fit the private key' };
}

function checkToken(serverJwt: string, seed: string | undefined): Refusal | undefined {
  if (serverJwt === '') return undefined;
  if (seed === undefined) return { reason: 'KEY_CHANGED', what: 'server_jwt: the node has no seed' };
  const publicKey = publicKeyOfToken(serverJwt);
  if (publicKey !== undefined && publicKey === publicKeyOfSeed(seed)) return undefined;
  return { reason: 'KEY_CHANGED', what: "server_jwt: its public_key is not the seed's" };
}

function refused(refusal: Refusal): Fit {
  return { ok: false, refusal };
}
