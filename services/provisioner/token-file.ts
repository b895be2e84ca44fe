// The provisioning secrets of a file (`token_file`), read again while the provisioner runs, so that they can be
// changed without a restart.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Clock, Timer } from '../../shared/clock.js';
import { Secret } from '../../shared/secret.js';

/** The file cannot be used; the message says why, and quotes nothing of it. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/**
 * Reads the secrets of a file, one a line, newest first.
 *
 * @throws TokenFileError
 */
export function readTokenFile(path: string): readonly Secret[] {
  try {
    return parse(path, readFileSync(path, 'utf8'));
  } catch (error) {
    throw toTokenFileError(path, error);
  }
}

export interface TokenFileOptions {
  readonly clock: Clock;
  readonly log: { warn(message: string): void; info(message: string): void };
}

const lookEveryMs = 1_000;

/** The secrets as a file has them; while it cannot be used, those that it had last. */
export class TokenFile {
  readonly #path: string;
  readonly #options: TokenFileOptions;
  #tokens: readonly Secret[];
  /** What the last look found, where that was usable. */
  #seen: readonly Secret[];
  /** What was said of the file last; empty where it was usable. */
  #said = '';
  #timer: Timer | undefined;
  #closed = false;

  /** @param tokens what the file had when it was read first */
  constructor(path: string, tokens: readonly Secret[], options: TokenFileOptions) {
    this.#path = path;
    this.#tokens = tokens;
    this.#seen = tokens;
    this.#options = options;
    this.#wait();
  }

  get current(): readonly Secret[] {
    return this.#tokens;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    if (this.#closed) return;
    this.#timer = this.#options.clock.setTimer(lookEveryMs, () => {
      void this.#look().then(() => this.#wait());
    });
  }

  async #look(): Promise<void> {
    const { log } = this.#options;
    try {
      const tokens = parse(this.#path, await readFile(this.#path, 'utf8'));
      // Half a secret reads like a whole one: what two looks find was written to its end.
      if (isSame(tokens, this.#seen)) this.#use(tokens);
      this.#seen = tokens;
      this.#said = '';
    } catch (error) {
      const { message } = toTokenFileError(this.#path, error);
      if (message !== this.#said)
        log.warn(`token_file: ${message}; the secrets that it had before stay in use`);
      this.#said = message;
    }
  }

  #use(tokens: readonly Secret[]): void {
    if (isSame(tokens, this.#tokens)) return;
    this.#tokens = tokens;
    this.#options.log.info(`token_file ${this.#path} has changed and was read again`);
  }
}

function parse(path: string, content: string): readonly Secret[] {
  const tokens = content
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (tokens.length === 0) throw new TokenFileError(`${path} holds no provisioning secret`);
  if (tokens.some(isJwt)) {
    throw new TokenFileError(
      `${path} holds the nodes' token; expected the secret in it (cht), which \`slipway token provisioning\` writes ` +
        'to FILE.secret',
    );
  }
  return tokens.map((value) => new Secret(value));
}

/** The one mistake that would otherwise be told for each node, as a secret that does not fit. */
function isJwt(line: string): boolean {
  return /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]+$/.test(line);
}

function isSame(some: readonly Secret[], others: readonly Secret[]): boolean {
  return some.length === others.length && some.every((one, index) => others[index]?.equals(one) === true);
}

function toTokenFileError(path: string, error: unknown): TokenFileError {
  if (error instanceof TokenFileError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new TokenFileError(`${path} cannot be read: ${why}`, { cause: error });
}
