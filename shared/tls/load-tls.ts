// What a service needs to serve and to call others under its tls settings, in one go.

import type { ServerCredentials } from '@grpc/grpc-js';
import type { Clock } from '../clock.js';
import { ConfigError } from '../config/config-error.js';
import type { Authenticator } from '../grpc/access.js';
import type { Logger } from '../logger.js';
import { certificateAuthenticator } from './certificate-authenticator.js';
import { readCertificate } from './certificate-facts.js';
import type { RolePatterns } from './roles.js';
import { mutualServerCredentials } from './server-credentials.js';
import { TlsFiles } from './tls-files.js';

/** The tls settings as they are loaded (shared/config/common.ts). */
export interface TlsConfig {
  readonly mode: 'required' | 'insecure';
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly ca?: string | undefined;
  readonly roles: RolePatterns;
}

export interface Tls {
  /** For credentials of other listeners and of channels. Closed by whoever loaded it. */
  readonly files: TlsFiles;
  /** Of listeners whose callers have certificates of the site. */
  readonly serverCredentials: ServerCredentials;
  /** Reads roles from those certificates. */
  readonly authenticator: Authenticator;
}

/**
 * Loads what tls settings name.
 *
 * @returns undefined where tls.mode is insecure
 * @throws ConfigError naming each setting whose file cannot be used
 */
export async function loadTls(
  config: TlsConfig,
  options: { readonly service: 'discovery' | 'provisioner'; readonly clock: Clock; readonly log: Logger },
): Promise<Tls | undefined> {
  const { mode, cert, key, ca, roles } = config;
  if (mode === 'insecure') return undefined;
  if (cert === undefined || key === undefined || ca === undefined) {
    throw new ConfigError('the tls settings', [{ path: 'tls', message: 'cert, key and ca are required' }]);
  }
  const { service, clock, log } = options;
  const authenticator = certificateAuthenticator(roles, clock);
  const files = await TlsFiles.open({ cert, key, ca }, { clock, log, usages: ['serverAuth', 'clientAuth'] });
  const uri = `slipway:role:${service}`;
  const { names } = readCertificate(files.current.certificatePem);
  if (!names.some(({ kind, value }) => kind === 'URI' && value === uri)) {
    log.warn(`tls.cert: ${cert} has not the URI ${uri} among its names: ${whatItCosts[service]}`);
  }
  return { files, serverCredentials: mutualServerCredentials(files), authenticator };
}

const whatItCosts = {
  discovery:
    'nodes that verify discovery refuse it, and so do provisioners that dial it by another name than its own',
  provisioner:
    'clients that dial it by another name than its own refuse it, and discovery lets it watch nothing, unless its ' +
    'tls.roles.provisioner name another',
} as const;
