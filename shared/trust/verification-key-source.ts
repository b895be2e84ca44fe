// The verification key that a setting names, kept as its file has it. What a key looks like is
// verification-key.ts's matter.

import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.js';
import { fileVersion } from '../file-version.js';
import { TrustError } from './trust-error.js';
import { parseVerificationKey, type VerificationKey } from './verification-key.js';

/** How often its file is looked at, at most: milliseconds. Reports of nodes ask for the key thousands of times. */
const lookEveryMs = 1_000;

export interface VerificationKeyOptions {
  readonly clock: Clock;
  /** Told when a changed file cannot be used, once for each problem; the last good key stays. */
  readonly warn: (message: string) => void;
}

/** The key that a setting names; a file that changes is read again within a second. */
export class VerificationKeySource {
  readonly #file: string | undefined;
  readonly #options: VerificationKeyOptions;
  #key: VerificationKey;
  #seen: string;
  #complaint = '';
  #check: Promise<void> | undefined;
  /** When the last look began: monotonic. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  private constructor(file: string | undefined, { key, version }: Read, options: VerificationKeyOptions) {
    this.#file = file;
    this.#key = key;
    this.#seen = version;
    this.#options = options;
  }

  /**
   * @param setting an existing path to a file that holds a key, else the hex key itself
   * @throws TrustError where neither is a usable key; the message says what to do
   */
  static async open(setting: string, options: VerificationKeyOptions): Promise<VerificationKeySource> {
    try {
      return new VerificationKeySource(setting, await read(setting, await fileVersion(setting)), options);
    } catch (error) {
      if (!isMissing(error)) throw new TrustError(faultOf(error), describe(setting, error), { cause: error });
    }
    try {
      const given = { key: parseVerificationKey(setting), version: '' };
      return new VerificationKeySource(undefined, given, options);
    } catch (error) {
      // A key is not shown: it may be the wrong one of a pair.
      const looksLikeKey = /^[0-9a-fA-F]+$|-----BEGIN /.test(setting.trim());
      const message = looksLikeKey
        ? describe('the key', error)
        : `there is no file ${setting}, and it is not the 64 hex digits of an ed25519 public key either`;
      throw new TrustError(faultOf(error), message, { cause: error });
    }
  }

  /** The key as the file has it, or had less than a second ago. Never fails: the last good key stays. */
  async current(): Promise<VerificationKey> {
    if (this.#file !== undefined && (this.#check !== undefined || this.#isDue)) {
      // Those who ask while somebody looks wait for the same look.
      this.#check ??= this.#refresh(this.#file).finally(() => {
        this.#check = undefined;
      });
      await this.#check;
    }
    return this.#key;
  }

  get #isDue(): boolean {
    return this.#options.clock.monotonic() - this.#lookedAt >= lookEveryMs;
  }

  async #refresh(file: string): Promise<void> {
    this.#lookedAt = this.#options.clock.monotonic();
    try {
      // Taken before the file is read: what is written meanwhile is seen by the next look.
      const version = await fileVersion(file);
      if (version === this.#seen) return;
      this.#key = (await read(file, version)).key;
      this.#seen = version;
      this.#complaint = '';
    } catch (error) {
      // What failed for want of descriptors, for instance, is tried again though the file stays as it is.
      this.#seen = '';
      const complaint = describe(file, error);
      if (complaint === this.#complaint) return;
      this.#complaint = complaint;
      this.#options.warn(`${complaint}; the key that it had before stays in use`);
    }
  }
}

interface Read {
  readonly key: VerificationKey;
  readonly version: string;
}

async function read(file: string, version: string): Promise<Read> {
  return { key: parseVerificationKey(await readFile(file, 'utf8')), version };
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return (
    code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ERR_INVALID_ARG_VALUE'
  );
}

function faultOf(error: unknown): TrustError['fault'] {
  return error instanceof TrustError ? error.fault : 'MALFORMED';
}

function describe(what: string, error: unknown): string {
  return `${what} is no key to verify with: ${error instanceof Error ? error.message : String(error)}`;
}
