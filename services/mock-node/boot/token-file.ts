// The provisioning token that the nodes of this process hold: read from its file, and again at each boot.

import { readFile } from 'node:fs/promises';
import { StartError } from '../../../shared/process/start-error.js';
import { Secret } from '../../../shared/secret.js';
import { readProvisioningToken } from '../../../shared/trust/provisioning-token.js';
import { TrustError } from '../../../shared/trust/trust-error.js';

export interface NodeToken {
  readonly text: Secret;
  /** The token's `cht`, or what --secret-file holds; without one, any proof is accepted. */
  readonly secret: Secret | undefined;
  /** Whether settings that do not say so enable provisioning: `chpd`. */
  readonly provisioningByDefault: boolean;
  /** Hex SHA-256 of the certificate of discovery's CA; empty where the token does not name it. */
  readonly caSha256: string;
  /** Unix seconds; undefined where it does not expire. */
  readonly expiresAt: number | undefined;
}

export class TokenFile {
  readonly #path: string;
  readonly #secret: Secret | undefined;
  readonly #warn: (message: string) => void;
  #last: NodeToken;
  #complaint = '';

  private constructor(path: string, secret: Secret | undefined, warn: (message: string) => void) {
    this.#path = path;
    this.#secret = secret;
    this.#warn = warn;
    this.#last = noToken;
  }

  /**
   * @param secret what --secret-file holds
   * @param warn told when a changed file cannot be used; what it held before stays
   * @throws StartError that names the file and says what to do
   */
  static async open(
    path: string,
    secret: Secret | undefined,
    warn: (message: string) => void,
  ): Promise<TokenFile> {
    const file = new TokenFile(path, secret, warn);
    file.#last = await file.#read();
    return file;
  }

  /** The token as the file has it now. */
  async current(): Promise<NodeToken> {
    try {
      this.#last = await this.#read();
      this.#complaint = '';
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.#complain(error.message);
    }
    return this.#last;
  }

  /** Once for all boots that find the file so. */
  #complain(message: string): void {
    if (message === this.#complaint) return;
    this.#complaint = message;
    this.#warn(`${message}; the token that was there before stays in use`);
  }

  async #read(): Promise<NodeToken> {
    const text = await readText('jwt-file', this.#path);
    if (text === this.#last.text.reveal()) return this.#last;
    const claims = parse(this.#path, text);
    const own = this.#secret;
    if (own !== undefined && claims.secret !== undefined && claims.secret.reveal() !== own.reveal()) {
      throw new StartError(
        `--jwt-file ${this.#path}: its secret (cht) is not the one in --secret-file; leave out --secret-file, or make ` +
          'them the same',
      );
    }
    return {
      text: new Secret(text),
      secret: claims.secret ?? own,
      provisioningByDefault: claims.provisioningByDefault ?? false,
      caSha256: claims.caSha256,
      expiresAt: claims.expiresAt,
    };
  }
}

/** No file holds this: a file must not be empty. */
const noToken: NodeToken = {
  text: new Secret(''),
  secret: undefined,
  provisioningByDefault: false,
  caSha256: '',
  expiresAt: undefined,
};

/**
 * Reads a file that a flag names.
 *
 * @returns its text without white space around it, never empty
 * @throws StartError
 */
export async function readText(flag: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new StartError(`--${flag} ${path} cannot be read: ${reasonOf(cause)}`, { cause });
  });
  if (text.trim() === '') throw new StartError(`--${flag} ${path} is empty`);
  return text.trim();
}

function parse(path: string, text: string) {
  try {
    return readProvisioningToken(text);
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    throw new StartError(
      `--jwt-file ${path} holds no provisioning token: ${error.message}; expected a compact JWT, as slipway token ` +
        'provisioning makes it',
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
