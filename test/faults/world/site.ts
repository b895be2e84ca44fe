// What is a site's own in the world: its keys, its tokens, and what its helper decides of a node.

import { createPublicKey, X509Certificate } from 'node:crypto';
import { Secret } from '../../../shared/secret.js';
import { createServerTokenIssuer, type ServerTokenIssuer } from '../../../shared/trust/server-token.js';
import { makeAuthority, makeCertificate, type TestCertificate } from '../../fakes/certificates.js';
import { SiteKeys } from '../../fakes/site-keys.js';

/** What the helper reads on standard input, as far as the world's helper looks at it. */
export interface HelperQuestion {
  readonly identity: string;
  readonly csr: { readonly csr: string; readonly public_key: string } | null;
  readonly ed25519_pubkey: { readonly public_key: string } | null;
  /** JSON text. */
  readonly inventory: string;
}

/** What the site wants of a node: what the helper prints. */
export type Decide = (question: HelperQuestion) => object | Promise<object>;

export class Site {
  readonly keys: SiteKeys;
  readonly secret: Secret;
  /** Of all its nodes. */
  readonly token: Secret;
  readonly issuer: ServerTokenIssuer;
  readonly #authority: TestCertificate;

  private constructor(keys: SiteKeys, token: string, authority: TestCertificate, now: number) {
    this.keys = keys;
    this.secret = new Secret('s3cret');
    this.token = new Secret(token);
    this.issuer = createServerTokenIssuer(keys.seed, undefined, now);
    this.#authority = authority;
  }

  /** @param now Unix seconds */
  static async open(now: number): Promise<Site> {
    const keys = new SiteKeys();
    const [token, authority] = await Promise.all([keys.token(now), makeAuthority()]);
    return new Site(keys, token, authority, now);
  }

  /** Configures every node, with a certificate for its request where it makes one. */
  readonly configures: Decide = async ({ identity, csr }) => {
    const configuration = { identity, 'plugin.choria.server.provision': 'false' };
    if (csr === null) return { configuration };
    const certificate = await this.#certify(csr.public_key, identity);
    return { configuration, certificate, ca: this.#authority.certificatePem };
  };

  async #certify(publicKeyPem: string, name: string): Promise<string> {
    const spki = createPublicKey(publicKeyPem).export({ format: 'der', type: 'spki' });
    const { subtle } = globalThis.crypto;
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const publicKey = await subtle.importKey('spki', spki, algorithm, true, ['verify']);
    const keys = { publicKey, privateKey: this.#authority.keys.privateKey };
    const made = await makeCertificate({ name, keys, issuer: this.#authority });
    return new X509Certificate(made.certificatePem).toString();
  }
}
