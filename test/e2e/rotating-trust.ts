// What a stack trusts, changed while it runs as operators do it: file by file, each in the place of the one before.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDevelopmentCertificates } from '../../cli/certs/development.js';
import { writeWhole } from '../../cli/files/write.js';
import type { Stack } from '../../cli/launch/stack.js';
import type { Trust } from '../../cli/launch/trust.js';
import { Secret } from '../../shared/secret.js';
import type { TlsPaths } from '../../shared/tls/tls-files.js';
import { mintProvisioningToken } from '../../shared/trust/mint-provisioning-token.js';
import { certificateSha256 } from '../../shared/trust/report-envelope.js';
import { parseSigningKey } from '../../shared/trust/signing-key.js';
import { ed25519PublicKey } from './compact-tokens.js';

/** Puts a file in the place of another, so that nobody reads half of it. */
export function replaceFile(path: string, text: string): Promise<void> {
  return writeWhole({ path, text, isPrivate: true }, true);
}

/** Makes a CA where there is none, and certificates of it, anew where they are there. */
export async function makeCertificates(directory: string): Promise<void> {
  await makeDevelopmentCertificates({ directory, days: 30, hosts: [], force: true, now: new Date() });
}

/** @returns the TLS files of one member of a site: a service, `operator` or `viewer` */
export function tlsPathsIn(directory: string, member: string): TlsPaths {
  return {
    cert: join(directory, `${member}.pem`),
    key: join(directory, `${member}-key.pem`),
    ca: join(directory, 'ca.pem'),
  };
}

export class RotatingTrust {
  readonly #trust: Trust;

  constructor({ trust }: Stack) {
    if (trust === undefined) throw new Error('the stack trusts nothing');
    this.#trust = trust;
  }

  /** The provisioning secrets that the provisioner has, newest first. */
  get secrets(): readonly string[] {
    return readFileSync(this.#trust.secret, 'utf8').trim().split('\n');
  }

  setSecrets(secrets: readonly string[]): Promise<void> {
    return replaceFile(this.#trust.secret, `${secrets.join('\n')}\n`);
  }

  /** Makes a token for nodes that are to come. @param caPem the CA that it names; none where absent */
  async makeProvisioningToken(path: string, secret: string, caPem?: string): Promise<void> {
    const wish = {
      secret: new Secret(secret),
      provisioningByDefault: true,
      ...(caPem !== undefined && { caSha256: certificateSha256(new X509Certificate(caPem).raw) }),
    };
    const signingKey = parseSigningKey(readFileSync(this.#trust.signingKey, 'utf8'));
    const now = Math.floor(Date.now() / 1000);
    await replaceFile(path, await mintProvisioningToken(wish, signingKey, now));
  }

  get verificationKey(): string {
    return this.#trust.verificationKey;
  }

  /** The key that provisioning tokens are verified with, which is there in hex, in PEM. */
  get verificationKeyPem(): string {
    const publicKey = ed25519PublicKey(readFileSync(this.#trust.verificationKey, 'utf8').trim());
    return String(publicKey.export({ type: 'spki', format: 'pem' }));
  }

  tlsPaths(member: string): TlsPaths {
    return tlsPathsIn(this.#trust.certificates, member);
  }

  /** Renews the certificates of all members; of the same CA. */
  renewCertificates(): Promise<void> {
    return makeCertificates(this.#trust.certificates);
  }

  /** Takes a member's certificate and key from elsewhere. The certificate first: it does not fit the key then. */
  async takeCertificate(member: string, from: string): Promise<void> {
    const [source, target] = [tlsPathsIn(from, member), this.tlsPaths(member)];
    await replaceFile(target.cert, readFileSync(source.cert, 'utf8'));
    await replaceFile(target.key, readFileSync(source.key, 'utf8'));
  }

  /** PEM of what everybody trusts. */
  get authorities(): string {
    return readFileSync(this.tlsPaths('viewer').ca, 'utf8');
  }

  setAuthorities(pem: string): Promise<void> {
    return replaceFile(this.tlsPaths('viewer').ca, pem);
  }
}
