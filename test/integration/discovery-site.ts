// A site for tests of discovery: an authority with what it issued, a key that provisioning tokens are signed with,
// and boots of nodes that sign their reports.

import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import type { ReportRequest } from '../../shared/gen/slipway/discovery/v1/registry.js';
import { silentLogger } from '../../shared/logger.js';
import { Secret } from '../../shared/secret.js';
import { registryCredentials, serviceCredentials } from '../../shared/tls/channel-credentials.js';
import { TlsFiles } from '../../shared/tls/tls-files.js';
import { mintProvisioningToken } from '../../shared/trust/mint-provisioning-token.js';
import { rawPublicKey } from '../../shared/trust/raw-keys.js';
import { parseSigningKey } from '../../shared/trust/signing-key.js';
import {
  type CertificateWish,
  makeAuthority,
  makeCertificate,
  type TestCertificate,
} from '../fakes/certificates.js';
import { TlsFolder } from '../fakes/tls-folder.js';

const both = ['serverAuth', 'clientAuth'] as const;

export class Site {
  readonly folder = new TlsFolder();
  readonly authority: TestCertificate;
  readonly #folders: TlsFolder[] = [this.folder];

  private constructor(authority: TestCertificate) {
    this.authority = authority;
  }

  /** A site whose files are gone when the test is. */
  static async make(): Promise<Site> {
    const authority = await makeAuthority();
    const site = new Site(authority);
    await site.renew();
    onTestFinished(() => {
      for (const folder of site.#folders) folder.remove();
    });
    return site;
  }

  /** Gives discovery a new certificate. */
  async renew(): Promise<TestCertificate> {
    const { authority } = this;
    const uris = ['slipway:role:discovery'];
    const certificate = await makeCertificate({ issuer: authority, uris, usages: both });
    this.folder.put(certificate, [authority]);
    return certificate;
  }

  /** The tls settings of discovery. */
  get tls() {
    return { mode: 'required', ...this.folder.paths } as const;
  }

  /** What a node dials discovery with. */
  get forNodes(): ChannelCredentials {
    return registryCredentials({ kind: 'CA', caPem: this.authority.certificatePem });
  }

  /** What somebody with a certificate dials discovery with: of this site and one role, unless it says otherwise. */
  async forConsumer(role: string, over: CertificateWish = {}): Promise<ChannelCredentials> {
    const uris = [`slipway:role:${role}`];
    const wish = { issuer: this.authority, usages: both, uris, ...over };
    const folder = new TlsFolder();
    this.#folders.push(folder);
    folder.put(await makeCertificate(wish), [wish.issuer, this.authority]);
    const files = await TlsFiles.open(folder.paths, { clock: systemClock, log: silentLogger() });
    onTestFinished(() => files.close());
    return serviceCredentials(files, 'discovery');
  }
}

/** A key that provisioning tokens are signed with, and the file of its public half. */
export class TokenKey {
  readonly file: string;
  #seed = '';

  constructor(folder: string) {
    this.file = join(folder, 'tokens.hex');
    this.rotate('01');
  }

  /** Takes another key: two hex digits say which. */
  rotate(digits: string): void {
    this.#seed = digits.repeat(32);
    writeFileSync(this.file, rawPublicKey(parseSigningKey(this.#seed).key).toString('hex'));
  }

  /** @param expiresAt Unix seconds */
  token(over: { readonly expiresAt?: number } = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000) - 60;
    const claims = { secret: new Secret('the secret of the fleet'), ...over };
    return mintProvisioningToken(claims, parseSigningKey(this.#seed), now);
  }
}

/** The certificate of one boot: nobody's but its own. */
export function bootCertificate(): Promise<TestCertificate> {
  return makeCertificate({ name: 'a boot' });
}

/**
 * What a node sends: as the contract says it, and not by the means of the service.
 *
 * @param certificate none: it has neither that nor a signature
 */
export function signed(report: Buffer, certificate: TestCertificate | undefined): ReportRequest {
  if (certificate === undefined) return { report, certificate: Buffer.of(), signature: Buffer.of() };
  const message = Buffer.concat([Buffer.from('slipway/v1/report\n'), report]);
  const signature = sign('sha256', message, createPrivateKey(certificate.keyPem));
  return { report, certificate: Buffer.from(new X509Certificate(certificate.certificatePem).raw), signature };
}
