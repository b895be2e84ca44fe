// A service's certificate, key and CA: read, checked, and read again when the files change, without dropping what
// is connected (design, section 8, "Transport").

import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';

/** Paths, all PEM. */
export interface TlsPaths {
  /** The service's certificate, and after it those between it and the CA. */
  readonly cert: string;
  readonly key: string;
  /** The CA certificates that peers are verified with. */
  readonly ca: string;
}

/** What the files held when they were last usable. */
export interface TlsMaterial {
  /** The certificate and what leads to a root, without the root. */
  readonly certificatePem: string;
  /** The same with the root at its end. */
  readonly chainToRootPem: string;
  readonly keyPem: string;
  readonly caPem: string;
  /** Unix milliseconds when the certificate expires. */
  readonly expiresAt: number;
}

export class TlsFiles {
  /**
   * Reads the files and keeps watching them; a change that cannot be used is warned about, and what was there
   * stays.
   *
   * @throws ConfigError naming each setting whose file cannot be used, and what to do
   */
  static async open(_paths: TlsPaths, _options: { clock: Clock; log: Logger }): Promise<TlsFiles> {
    throw new Error('not yet');
  }

  get current(): TlsMaterial {
    throw new Error('not yet');
  }

  /** Calls back after each change. @returns what takes the listener off again */
  onChange(_listener: (material: TlsMaterial) => void): () => void {
    throw new Error('not yet');
  }

  /** Looks at the files now. */
  refresh(): Promise<void> {
    throw new Error('not yet');
  }

  close(): void {}
}
