// A service's certificate, key and CA: read, checked, and read again when the files change, without dropping what
// is connected (design, section 8, "Transport").

import { readFile } from 'node:fs/promises';
import type { Clock, Timer } from '../clock.js';
import { ConfigError, type Problem } from '../config/config-error.js';
import type { Logger } from '../logger.js';
import { warnWhereAllMayRead } from '../open-to-all.js';
import type { Usage } from './certificate-facts.js';
import { checkTlsTexts, problemOf, type TlsMaterial, type TlsText, type TlsTexts } from './tls-material.js';

export type { TlsMaterial } from './tls-material.js';

/** Paths, all PEM. */
export interface TlsPaths {
  /** The service's certificate, and after it those between it and the CA. */
  readonly cert: string;
  readonly key: string;
  /** The CA certificates that peers are verified with. */
  readonly ca: string;
}

export interface TlsFilesOptions {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Extended key usages that the certificate must have, where it has any. */
  readonly usages?: readonly Usage[];
}

/** How often the files are looked at: milliseconds. They are small, and reading them tells more than their dates. */
const everyMs = 1000;

/** Of a certificate's life, what may have passed before its end is warned about. */
const oldAge = 0.9;

export class TlsFiles {
  readonly #paths: TlsPaths;
  readonly #options: TlsFilesOptions;
  readonly #listeners = new Set<(material: TlsMaterial) => void>();
  readonly #expiryListeners = new Set<() => void>();
  /** What was read when `#material` was made. */
  #used: TlsTexts;
  #material: TlsMaterial;
  /** Why the last look found nothing to use, and what was last warned about. */
  #failure = '';
  #warned = '';
  #age: 'YOUNG' | 'OLD' | 'EXPIRED' = 'YOUNG';
  /** What those who listen for it were told last. */
  #expired = false;
  #refreshing = Promise.resolve();
  #timer: Timer | undefined;

  private constructor(paths: TlsPaths, options: TlsFilesOptions, texts: TlsTexts, material: TlsMaterial) {
    this.#paths = paths;
    this.#options = options;
    this.#used = texts;
    this.#material = material;
    this.#look();
  }

  /**
   * Reads the files and keeps watching them; a change that cannot be used is warned about, and what was there
   * stays.
   *
   * @throws ConfigError naming each setting whose file cannot be used, and what to do
   */
  static async open(paths: TlsPaths, options: TlsFilesOptions): Promise<TlsFiles> {
    const texts = await readTexts(paths);
    const material = checkTlsTexts(texts, options.clock.now(), options.usages ?? []);
    await warnWhereAllMayRead('tls.key', paths.key, options.log);
    return new TlsFiles(paths, options, texts, material);
  }

  get current(): TlsMaterial {
    return this.#material;
  }

  /** Calls back after each change. @returns what takes the listener off again */
  onChange(listener: (material: TlsMaterial) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Why nobody will talk to a service that shows this certificate, for people; undefined while it is valid. */
  get whyExpired(): string | undefined {
    const { expiresAt } = this.#material;
    if (this.#options.clock.now() <= expiresAt) return undefined;
    const when = new Date(expiresAt).toISOString();
    return `the TLS certificate ${this.#paths.cert} expired at ${when}: peers refuse it until it is replaced`;
  }

  /** Calls back within about a second after {@link whyExpired} begins or ends. */
  onExpiryChange(listener: () => void): void {
    this.#expiryListeners.add(listener);
  }

  /** Looks at the files now. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing.then(() => this.#refresh());
    return this.#refreshing;
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#listeners.clear();
    this.#expiryListeners.clear();
  }

  /** The end of the certificate is seen to here, and the next look is arranged. */
  #look(): void {
    this.#watchAge();
    this.#watchExpiry();
    this.#timer = this.#options.clock.setTimer(everyMs, () => {
      void this.refresh().then(() => {
        if (this.#timer !== undefined) this.#look();
      });
    });
  }

  async #refresh(): Promise<void> {
    const { clock, usages = [] } = this.#options;
    try {
      const texts = await readTexts(this.#paths);
      if (!isSame(texts, this.#used)) this.#use(texts, checkTlsTexts(texts, clock.now(), usages));
      else if (this.#warned !== '') this.#options.log.info('the TLS files are again as they are in use');
      this.#failure = '';
      this.#warned = '';
    } catch (error) {
      this.#keep(error);
    }
  }

  #use(texts: TlsTexts, material: TlsMaterial): void {
    this.#used = texts;
    this.#material = material;
    this.#age = 'YOUNG';
    const expires = new Date(material.expiresAt).toISOString();
    const fields = { certificate: this.#paths.cert, expires };
    this.#options.log.info(fields, 'the TLS files have changed and are in use');
    for (const listener of this.#listeners) listener(material);
  }

  /** Warns once of what is still so at the next look: what is half-written is not worth a word. */
  #keep(error: unknown): void {
    const failure = inOneLine(error);
    const settled = failure === this.#failure;
    this.#failure = failure;
    if (!settled || failure === this.#warned) return;
    this.#warned = failure;
    const what = 'the TLS files have changed and cannot be used; what was read before stays in use';
    this.#options.log.warn(`${what}: ${failure}`);
  }

  #watchExpiry(): void {
    const expired = this.whyExpired !== undefined;
    if (expired === this.#expired) return;
    this.#expired = expired;
    for (const listener of this.#expiryListeners) listener();
  }

  #watchAge(): void {
    const { validFrom, expiresAt } = this.#material;
    const now = this.#options.clock.now();
    const old = validFrom + (expiresAt - validFrom) * oldAge;
    const age = now > expiresAt ? 'EXPIRED' : now > old ? 'OLD' : 'YOUNG';
    if (age === this.#age) return;
    this.#age = age;
    if (age === 'YOUNG') return;
    const fields = { certificate: this.#paths.cert, expires: new Date(expiresAt).toISOString() };
    if (age === 'OLD') this.#options.log.warn(fields, 'the TLS certificate expires soon');
    else
      this.#options.log.error(
        fields,
        'the TLS certificate has expired: peers refuse it until it is replaced',
      );
  }
}

/** @throws ConfigError naming each file that cannot be read */
async function readTexts(paths: TlsPaths): Promise<TlsTexts> {
  const problems: Problem[] = [];
  const read = async (setting: keyof TlsPaths): Promise<TlsText> => {
    const path = paths[setting];
    try {
      return { path, text: await readFile(path, 'latin1') };
    } catch (error) {
      problems.push(
        problemOf(setting, path, `cannot be read: ${error instanceof Error ? error.message : error}`),
      );
      return { path, text: '' };
    }
  };
  const [cert, key, ca] = [await read('cert'), await read('key'), await read('ca')];
  if (problems.length > 0) throw new ConfigError('the TLS files', problems);
  return { cert, key, ca };
}

function inOneLine(error: unknown): string {
  if (!(error instanceof ConfigError)) return error instanceof Error ? error.message : String(error);
  return error.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

function isSame(a: TlsTexts, b: TlsTexts): boolean {
  return a.cert.text === b.cert.text && a.key.text === b.key.text && a.ca.text === b.ca.text;
}
