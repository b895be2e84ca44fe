// What server tokens are signed with: the key and the token of its chain, read anew for each node, so that they can
// be changed without a restart (design, section 8, "Server token"). What is signed is server-claims.ts's matter.

import { readFile } from 'node:fs/promises';
import type { Clock, Timer } from '../../../shared/clock.js';
import { createServerTokenIssuer, type ServerTokenIssuer } from '../../../shared/trust/server-token.js';
import { TrustError } from '../../../shared/trust/trust-error.js';

/** Paths. */
export interface SigningPaths {
  readonly key: string;
  /** undefined where the key is the organisation's own. */
  readonly token: string | undefined;
}

/** The setting whose file cannot be used. */
export type SigningSetting = 'jwt_signing_key' | 'jwt_signing_token';

export type SigningState =
  | { readonly kind: 'USABLE'; readonly issuer: ServerTokenIssuer }
  /** `why` is a sentence for people that begins with the path of the file. */
  | { readonly kind: 'UNUSABLE'; readonly setting: SigningSetting; readonly why: string };

/** Gives what signs at this moment. */
export interface SigningSource {
  /** Never rejects. */
  current(): Promise<SigningState>;
}

export interface SigningFilesOptions {
  readonly clock: Clock;
  readonly log: SigningLog;
}

/** A pino logger is one. */
export interface SigningLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** A token for a node would have no time to be of use. */
const leastValidSeconds = 60;

/** How often the files are looked at where no node comes. */
const lookEveryMs = 10_000;

export class SigningFiles implements SigningSource {
  readonly #paths: SigningPaths;
  readonly #options: SigningFilesOptions;
  #last: { readonly content: string; readonly issuer: ServerTokenIssuer } | undefined;
  /** What was said of the files last; empty where they were usable. */
  #said = '';
  #timer: Timer | undefined;
  #closed = false;

  constructor(paths: SigningPaths, options: SigningFilesOptions) {
    this.#paths = paths;
    this.#options = options;
  }

  /** Unix seconds when the token of the chain expires, as the files had it last; undefined without one. */
  get expiresAt(): number | undefined {
    return this.#last?.issuer.expiresAt;
  }

  /** Begins to look at the files also while no node comes. */
  watch(): void {
    this.#timer = this.#options.clock.setTimer(lookEveryMs, () => {
      void this.current().then(() => {
        if (!this.#closed) this.watch();
      });
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** Reads the files. A change for the worse is warned about once, one for the better told. */
  async current(): Promise<SigningState> {
    const state = await this.look();
    const { log } = this.#options;
    const why = state.kind === 'UNUSABLE' ? `${state.setting} ${state.why}` : '';
    if (why !== '' && why !== this.#said) {
      log.warn({}, `server tokens cannot be signed: ${why}; runs wait until they can`);
    } else if (why === '' && this.#said !== '') {
      log.info({}, 'server tokens can be signed again');
    }
    this.#said = why;
    return state;
  }

  /** Reads the files and says nothing of them. */
  async look(): Promise<SigningState> {
    const { key: keyPath, token: tokenPath } = this.#paths;
    const [key, token] = await Promise.all([
      readText(keyPath),
      tokenPath === undefined ? undefined : readText(tokenPath),
    ]);
    if (typeof key !== 'string') return unusable('jwt_signing_key', keyPath, key.why);
    if (tokenPath === undefined || token === undefined) return this.#issuerOf(key, undefined);
    if (typeof token !== 'string') return unusable('jwt_signing_token', tokenPath, token.why);
    return this.#issuerOf(key, token);
  }

  #issuerOf(key: string, token: string | undefined): SigningState {
    const now = this.#options.clock.now() / 1000;
    const content = JSON.stringify([key, token]);
    const held = this.#last?.content === content ? this.#last.issuer : undefined;
    try {
      const hasTime = held !== undefined && now < (held.expiresAt ?? Number.POSITIVE_INFINITY);
      const issuer = hasTime ? held : createServerTokenIssuer(key, token, now);
      this.#last = { content, issuer };
      return this.#judge(issuer, now);
    } catch (error) {
      if (!(error instanceof TrustError)) throw error;
      return this.#blame(key, error, now);
    }
  }

  #judge(issuer: ServerTokenIssuer, now: number): SigningState {
    const left = (issuer.expiresAt ?? Number.POSITIVE_INFINITY) - now;
    if (left >= leastValidSeconds) return { kind: 'USABLE', issuer };
    return unusable('jwt_signing_token', this.#paths.token ?? '', 'it expires within a minute; renew it');
  }

  /** A key that cannot even sign without the token is what is wrong. */
  #blame(key: string, { message }: TrustError, now: number): SigningState {
    const { key: keyPath, token: tokenPath } = this.#paths;
    if (tokenPath === undefined) return unusable('jwt_signing_key', keyPath, message);
    try {
      createServerTokenIssuer(key, undefined, now);
      return unusable('jwt_signing_token', tokenPath, message);
    } catch {
      return unusable('jwt_signing_key', keyPath, message);
    }
  }
}

function unusable(setting: SigningSetting, path: string, why: string): SigningState {
  return { kind: 'UNUSABLE', setting, why: `${path}: ${why}` };
}

async function readText(path: string): Promise<string | { readonly why: string }> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return { why: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
