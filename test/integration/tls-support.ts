// What the tests of TLS between services have in common: a site with a CA, services with certificates in files,
// and servers and clients that use them.

import type { ChannelCredentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import { serviceCredentials } from '../../shared/tls/channel-credentials.js';
import { TlsFiles } from '../../shared/tls/tls-files.js';
import {
  type CertificateWish,
  makeAuthority,
  makeCertificate,
  type TestCertificate,
} from '../fakes/certificates.js';
import { TlsFolder } from '../fakes/tls-folder.js';

/** What certificates of services have. */
export const ofService = (service: string): CertificateWish => ({
  name: service,
  usages: ['serverAuth', 'clientAuth'],
  uris: [`slipway:role:${service}`],
});

/** Files that are followed, in a folder that the test can change. */
export interface Held {
  readonly folder: TlsFolder;
  readonly files: TlsFiles;
}

/** Opens TLS files with these contents. */
export async function hold(
  certificate: TestCertificate,
  authorities: readonly TestCertificate[],
  log: Logger = silentLogger(),
): Promise<Held> {
  const folder = new TlsFolder();
  onTestFinished(() => folder.remove());
  folder.put(certificate, authorities);
  const files = await TlsFiles.open(folder.paths, { clock: systemClock, log });
  onTestFinished(() => files.close());
  return { folder, files };
}

/** A CA, and what it issues. */
export class TestSite {
  readonly ca: TestCertificate;

  private constructor(ca: TestCertificate) {
    this.ca = ca;
  }

  static async create(): Promise<TestSite> {
    return new TestSite(await makeAuthority({ name: 'site CA' }));
  }

  issue(wish: CertificateWish): Promise<TestCertificate> {
    return makeCertificate({ issuer: this.ca, ...wish });
  }

  /** Files of a service of this site. */
  async hold(wish: CertificateWish): Promise<Held> {
    return hold(await this.issue(wish), [this.ca]);
  }

  /** Credentials of a client with such a certificate, for discovery. */
  async client(wish: CertificateWish): Promise<ChannelCredentials> {
    return serviceCredentials((await this.hold(wish)).files, 'discovery');
  }
}
