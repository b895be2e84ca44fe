// What server tokens are signed with: the key and the token of its chain, read anew for each node, so that they can
// be changed without a restart (design, section 8, "Server token"). What is signed is server-claims.ts's matter.

import { readFile } from 'node:fs/promises';
import type { Clock, Timer } from '../../../shared/clock.js';
import { fileVersion } from '../../../shared/file-version.js';
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

interface Content {
  readonly key: string;
  readonly token: string | undefined;
  readonly version: string;
}

/** A token for a node would have no time to be of use. */
const leastValidSeconds = 60;

/** How often the files are looked at where no node comes. */
const lookEveryMs = 10_000;

/** What the files gave when they were last usable. */
interface Signer {
  readonly issuer: ServerTokenIssuer;
  /** Which files that was; empty where they have to be read again. */
  readonly version: string;
}

export class SigningFiles implements SigningSource {
  readonly #paths: SigningPaths;
  readonly #options: SigningFilesOptions;
  #last: Signer | undefined;
  #looking: Promise<SigningState> | undefined;
  #lastSeen: SigningState | undefined;
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

  /** As the last look found the files; undefined before the first. */
  get lastSeen(): SigningState | undefined {
    return this.#lastSeen;
  }

  /** Begins to look at the files also while no node comes. */
  watch(): void {
    this.#timer = this.#options.clock.setTimer(lookEveryMs, () => {
      // Whatever the system says of when they were changed.
      if (this.#last !== undefined) this.#last = { ...this.#last, version: '' };
      void this.current().then(() => {
        if (!this.#closed) this.watch();
      });
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** Looks at the files. A change for the worse is warned about once, one for the better told. */
  async current(): Promise<SigningState> {
    // Those who ask while somebody looks wait for the same look.
    this.#looking ??= this.look().finally(() => {
      this.#looking = undefined;
    });
    const state = await this.#looking;
    this.#lastSeen = state;
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

  /** Looks at the files, reads them where they have changed, and says nothing of them. */
  async look(): Promise<SigningState> {
    const { key: keyPath, token: tokenPath } = this.#paths;
    const now = this.#options.clock.now() / 1000;
    // Taken before they are read: what is written meanwhile is seen by the next look.
    const version = await versionOf(tokenPath === undefined ? [keyPath] : [keyPath, tokenPath]);
    if (version !== '' && version === this.#last?.version) return this.#judge(this.#last.issuer, now);
    const [key, token] = await Promise.all([
      readText(keyPath),
      tokenPath === undefined ? undefined : readText(tokenPath),
    ]);
    if (typeof key !== 'string') return unusable('jwt_signing_key', keyPath, key.why);
    if (token === undefined || typeof token === 'string') return this.#take({ key, token, version }, now);
    return unusable('jwt_signing_token', tokenPath ?? '', token.why);
  }

  #take({ key, token, version }: Content, now: number): SigningState {
    try {
      const issuer = createServerTokenIssuer(key, token, now);
      this.#last = { issuer, version };
      return this.#judge(issuer, now);
    } catch (error) {
      // Also what nobody planned must not fail the fleet.
      const why = error instanceof TrustError ? error.message : 'it cannot be used';
      return this.#blame(key, why, now);
    }
  }

  #judge(issuer: ServerTokenIssuer, now: number): SigningState {
    const left = (issuer.expiresAt ?? Number.POSITIVE_INFINITY) - now;
    if (left >= leastValidSeconds) return { kind: 'USABLE', issuer };
    const when = left > 0 ? 'expires within a minute' : 'has expired';
    return unusable('jwt_signing_token', this.#paths.token ?? '', `it ${when}; renew it`);
  }

  /** A key that cannot even sign without the token is what is wrong. */
  #blame(key: string, why: string, now: number): SigningState {
    const { key: keyPath, token: tokenPath } = this.#paths;
    if (tokenPath === undefined) return unusable('jwt_signing_key', keyPath, why);
    try {
      createServerTokenIssuer(key, undefined, now);
      return unusable('jwt_signing_token', tokenPath, why);
    } catch {
      return unusable('jwt_signing_key', keyPath, why);
    }
  }
}

function unusable(setting: SigningSetting, path: string, why: string): SigningState {
  return { kind: 'UNUSABLE', setting, why: `${path}: ${why}` };
}

/** @returns empty where it cannot be told */
async function versionOf(paths: readonly string[]): Promise<string> {
  try {
    return (await Promise.all(paths.map(fileVersion))).join('; ');
  } catch {
    return '';
  }
}

async function readText(path: string): Promise<string | { readonly why: string }> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return { why: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
