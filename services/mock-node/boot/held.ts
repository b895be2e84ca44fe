// What nodes hold beside their disks, as the files that the flags name have it.

import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { StartError } from '../../../shared/process/start-error.js';
import { Secret } from '../../../shared/secret.js';
import type { MockNodeConfig } from '../config.js';
import { readText, TokenFile } from './token-file.js';

/**
 * What the nodes hold: token, secret, both or neither.
 *
 * @throws StartError where a file cannot be used
 */
export async function readHeld(
  { tokenFile, secretFile }: Pick<MockNodeConfig, 'tokenFile' | 'secretFile'>,
  clock: Clock,
  log: Logger,
): Promise<{ readonly tokenFile: TokenFile | undefined; readonly secret: Secret | undefined }> {
  const secret = secretFile === undefined ? undefined : new Secret(await readText('secret-file', secretFile));
  if (tokenFile === undefined) return { tokenFile: undefined, secret };
  const file = await TokenFile.open(tokenFile, secret, (message) => log.warn(message));
  const { expiresAt } = await file.current();
  if (expiresAt !== undefined && expiresAt * 1000 <= clock.now()) {
    log.warn({ expired_at: new Date(expiresAt * 1000).toISOString() }, 'the provisioning token has expired');
  }
  return { tokenFile: file, secret };
}

/** @returns PEM. @throws StartError where the file holds no certificate */
export async function readCa(file: string): Promise<string> {
  const pem = await readText('ca', file);
  try {
    new X509Certificate(pem);
  } catch {
    throw new StartError(`--ca ${file} holds no certificate; expected the CA's certificate, in PEM`);
  }
  return `${pem}\n`;
}
