// What Configure sends: made once per pass of the sequence from the helper's reply, never per attempt.

import type { HelperReply } from '../helper/helper.js';

/** Everything that a node needs to leave provisioning mode. An absent text is empty. */
export interface Configuration {
  /** JSON object of strings, in the helper's order. */
  readonly configurationJson: string;
  /** The key that the helper gave, encrypted for the node. */
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly caPem: string;
  readonly sslDir: string;
  /** The node's X25519 public key that the key was encrypted to, 32 bytes; empty without a key. */
  readonly nodeEcdhPublic: Uint8Array;
  /** The provisioner's own of that exchange; empty without a key. */
  readonly provisionerEcdhPublic: Uint8Array;
  readonly serverJwt: string;
  readonly actionPolicies: ReadonlyMap<string, string>;
  readonly opaPolicies: ReadonlyMap<string, string>;
}

/** What was minted and encrypted for a node. */
export interface IssuedCredentials {
  /** Empty where the node gets none. */
  readonly serverJwt: string;
  /** undefined where the helper gave no key. */
  readonly key: EncryptedKey | undefined;
}

/** A private key that only the node can read. */
export interface EncryptedKey {
  /** PEM. */
  readonly pem: string;
  /** The X25519 public keys of the exchange, 32 bytes each. */
  readonly nodeEcdhPublic: Uint8Array;
  readonly provisionerEcdhPublic: Uint8Array;
}

/** What a configuration is made of. */
export interface Ingredients {
  readonly reply: HelperReply;
  readonly credentials: IssuedCredentials | undefined;
  /** Where the node keeps its keys, by its own account; it comes before what the helper says. */
  readonly csrSslDir: string;
  /** Where the node keeps its ed25519 seed; it counts where nobody says anything else. */
  readonly keyDirectory: string;
}

const nothing = Buffer.alloc(0);

/** @returns what Configure sends; whether that may be sent is not looked at */
export function configurationFrom(ingredients: Ingredients): Configuration {
  const { reply, credentials, csrSslDir, keyDirectory } = ingredients;
  return {
    configurationJson: encodeStrings(reply.configuration),
    keyPem: credentials?.key?.pem ?? '',
    certificatePem: reply.certificate,
    caPem: reply.ca,
    sslDir: csrSslDir || reply.ssldir || keyDirectory,
    nodeEcdhPublic: credentials?.key?.nodeEcdhPublic ?? nothing,
    provisionerEcdhPublic: credentials?.key?.provisionerEcdhPublic ?? nothing,
    serverJwt: credentials?.serverJwt ?? '',
    actionPolicies: reply.actionPolicies,
    opaPolicies: reply.opaPolicies,
  };
}

/** Writes the members one by one: an object in between would move keys that look like numbers to the front. */
function encodeStrings(strings: ReadonlyMap<string, string>): string {
  const members = [...strings].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}
