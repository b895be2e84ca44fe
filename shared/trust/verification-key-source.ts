// The verification key that a setting names, kept as its file has it. What a key looks like is
// verification-key.ts's matter.

import { readFile } from 'node:fs/promises';
import { fileVersion } from '../file-version.js';
import { TrustError } from './trust-error.js';
import { parseVerificationKey, type VerificationKey } from './verification-key.js';

/** The key that a setting names; files are read again when they change. */
export class VerificationKeySource {
  readonly #file: string | undefined;
  readonly #warn: (message: string) => void;
  #key: VerificationKey;
  #seen: string;
  #complaint = '';
  #check: Promise<void> | undefined;

  private constructor(file: string | undefined, { key, version }: Read, warn: (message: string) => void) {
    this.#file = file;
    this.#key = key;
    this.#seen = version;
    this.#warn = warn;
  }

  /**
   * @param setting an existing path to a file that holds a key, else the hex key itself
   * @param warn told when a changed file cannot be used, once for each problem; the last good key stays
   * @throws TrustError where neither is a usable key; the message says what to do
   */
  static async open(setting: string, warn: (message: string) => void): Promise<VerificationKeySource> {
    try {
      return new VerificationKeySource(setting, await read(setting, await fileVersion(setting)), warn);
    } catch (error) {
      if (!isMissing(error)) throw new TrustError(faultOf(error), describe(setting, error), { cause: error });
    }
    try {
      return new VerificationKeySource(undefined, { key: parseVerificationKey(setting), version: '' }, warn);
    } catch (error) {
      // A key is not shown: it may be the wrong one of a pair.
      const looksLikeKey = /^[0-9a-fA-F]+$|-----BEGIN /.test(setting.trim());
      const message = looksLikeKey
        ? describe('the key', error)
        : `there is no file ${setting}, and it is not the 64 hex digits of an ed25519 public key either`;
      throw new TrustError(faultOf(error), message, { cause: error });
    }
  }

  /** The key as the file has it now. Never fails: a file that cannot be used leaves the last good key. */
  async current(): Promise<VerificationKey> {
    if (this.#file !== undefined) {
      // Those who ask while somebody looks wait for the same look.
      this.#check ??= this.#refresh(this.#file).finally(() => {
        this.#check = undefined;
      });
      await this.#check;
    }
    return this.#key;
  }

  async #refresh(file: string): Promise<void> {
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
      this.#warn(`${complaint}; the key that it had before stays in use`);
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
