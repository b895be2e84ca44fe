// The files that discovery's settings name, opened before it starts, so that what cannot be used is told then, all of
// it at once: certificates, the key of tokens, lists of targets.

import type { Clock } from '../../shared/clock.js';
import { ConfigError, type Problem } from '../../shared/config/config-error.js';
import type { Logger } from '../../shared/logger.js';
import { loadTls, type Tls } from '../../shared/tls/load-tls.js';
import type { TokenVerifier } from '../../shared/trust/token-verifier.js';
import type { DiscoveryConfig } from './config.js';
import { isFile, type ReadText } from './cycles/targets.js';
import { openTokens } from './reports/tokens.js';

export interface Files {
  /** undefined where tls.mode is insecure. */
  readonly tls: Tls | undefined;
  /** undefined where tokens are not verified. */
  readonly tokens: TokenVerifier | undefined;
  /** Looks at no file any more. */
  close(): void;
}

export interface FilesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly readText: ReadText;
}

/** @throws ConfigError naming every setting whose file cannot be used, and what to do */
export async function openFiles(config: DiscoveryConfig, options: FilesOptions): Promise<Files> {
  const problems: Problem[] = [];
  const [tls, tokens] = await Promise.all([
    collecting(problems, loadTls(config.tls, { service: 'discovery', ...options })),
    collecting(problems, openTokens(config.jwt_verify_cert, options)),
    collecting(problems, checkTargets(config.targets, options.readText)),
  ]);
  const close = () => tls?.files.close();
  if (problems.length === 0) return { tls, tokens, close };
  close();
  throw new ConfigError('the configuration of discovery', problems);
}

/** @returns undefined where opening failed; its problems are with the others then */
async function collecting<T>(problems: Problem[], opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** @throws ConfigError: at start, a file that is not there is more likely a mistyped address */
async function checkTargets(targets: readonly string[], readText: ReadText): Promise<void> {
  const problems: Problem[] = [];
  for (const [index, target] of targets.entries()) {
    if (!isFile(target)) continue;
    try {
      await readText(target);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push({
        path: `targets[${index}]`,
        message: `is neither host:port nor a file that can be read: ${why}`,
      });
    }
  }
  if (problems.length > 0) throw new ConfigError('the configuration of discovery', problems);
}
