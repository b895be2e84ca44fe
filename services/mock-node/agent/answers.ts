// What an agent answers, in domain types; inventory and run records have files of their own.

import type { BootId, Identity } from '../../../shared/identity.js';
import type { Secret } from '../../../shared/secret.js';
import type { CsrWithKey } from './own-keys.js';

/** What Identify tells. */
export interface Presence {
  readonly identity: Identity;
  readonly bootId: BootId;
  readonly challenge: Uint8Array;
  readonly provisioning: boolean;
  readonly version: string;
  readonly hasToken: boolean;
  /** Whether its release can be replaced. */
  readonly upgradable: boolean;
}

/** What GetJwt gives. */
export interface TokenAndKey {
  readonly token: Secret;
  /** X25519, 32 bytes. */
  readonly ecdhPublic: Buffer;
}

/** What GenerateEd25519Key gives. */
export interface ProvenKey {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** 64 bytes, over the challenge. */
  readonly signature: Buffer;
  /** Absolute path of the folder that holds the seed. */
  readonly directory: string;
}

/** What GenerateCsr gives. */
export interface Csr extends Omit<CsrWithKey, 'privateKeyPem'> {
  /** Absolute path of the folder that holds the key. */
  readonly sslDirectory: string;
}
