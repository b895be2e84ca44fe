// A folder with a service's TLS files, which a test changes as an operator does.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsPaths } from '../../shared/tls/tls-files.js';
import type { TestCertificate } from './certificates.js';

export class TlsFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'slipway-tls-'));
  readonly paths: TlsPaths = {
    cert: join(this.path, 'cert.pem'),
    key: join(this.path, 'key.pem'),
    ca: join(this.path, 'ca.pem'),
  };

  /** Writes a certificate, its key, and the authorities that are trusted. */
  put(certificate: TestCertificate, authorities: readonly TestCertificate[]): void {
    this.write('cert', certificate.certificatePem);
    this.write('key', certificate.keyPem);
    this.write('ca', authorities.map(({ certificatePem }) => certificatePem).join(''));
  }

  /** Writes a file in place. */
  write(file: keyof TlsPaths, text: string): void {
    writeFileSync(this.paths[file], text, { mode: 0o600 });
  }

  /** Puts another file in the place of one. */
  replace(file: keyof TlsPaths, text: string): void {
    const fresh = `${this.paths[file]}.new`;
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, this.paths[file]);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
