// What signs server tokens, and changes while it does: a key, and the token with which the organisation lets it sign.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ed25519Pair, newEd25519Pair, newSigningToken } from './compact-tokens.js';

const validSeconds = 90 * 86_400;

/** An issuer of the organisation. */
export interface Issuer {
  readonly pair: Ed25519Pair;
  readonly token: string;
}

export class RotatingIssuer {
  readonly organisation = newEd25519Pair();
  /** As in the provisioner's settings. */
  readonly paths: { readonly jwt_signing_key: string; readonly jwt_signing_token: string };
  /** Hex public keys of all issuers, in the order in which they came. */
  readonly publicKeys: string[] = [];

  /** Begins with an issuer whose files are in the folder. */
  constructor(folder: string) {
    this.paths = {
      jwt_signing_key: join(folder, 'issuer.seed'),
      jwt_signing_token: join(folder, 'issuer.jwt'),
    };
    const { pair, token } = this.next();
    writeFileSync(this.paths.jwt_signing_key, pair.seed);
    writeFileSync(this.paths.jwt_signing_token, token);
  }

  /** @returns another issuer, in no file yet */
  next(): Issuer {
    const pair = newEd25519Pair();
    const now = Math.floor(Date.now() / 1000);
    this.publicKeys.push(pair.publicKey);
    return { pair, token: newSigningToken(this.organisation, pair, now + validSeconds, now) };
  }
}
