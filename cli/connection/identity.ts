// The certificate that whoever calls a command shows to a service, and the CA that the service is verified with.

import type { ChannelCredentials } from '@grpc/grpc-js';
import { systemClock } from '../../shared/clock.js';
import { ConfigError } from '../../shared/config/config-error.js';
import { printable } from '../../shared/printable.js';
import { serviceCredentials } from '../../shared/tls/channel-credentials.js';
import { TlsFiles, type TlsFilesOptions, type TlsPaths } from '../../shared/tls/tls-files.js';
import { UsageError } from '../command-error.js';
import type { Terminal } from '../terminal.js';
import type { Peer } from './options.js';

export interface Identity {
  readonly credentials: ChannelCredentials;
  /** Looks at no file any more. */
  close(): void;
}

/** @throws UsageError naming each option whose file cannot be used */
export async function openIdentity(paths: TlsPaths, peer: Peer, terminal: Terminal): Promise<Identity> {
  const files = await openFiles(paths, terminal);
  return { credentials: serviceCredentials(files, peer), close: () => files.close() };
}

async function openFiles(paths: TlsPaths, terminal: Terminal): Promise<TlsFiles> {
  const log = warningsTo(terminal);
  try {
    return await TlsFiles.open(paths, { clock: systemClock, log, usages: ['clientAuth'] });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(
      ({ path, message }) => `${path.replace('tls.', '--tls-')}: ${message.replaceAll('tls.', '--tls-')}`,
    );
    throw new UsageError(problems.join('; '), { cause: error });
  }
}

/** What is odd about the files is told; that they have changed is not of interest here. */
function warningsTo(terminal: Terminal): TlsFilesOptions['log'] {
  const warn = (...words: readonly unknown[]) => {
    const said = words.filter((word) => typeof word === 'string').join(' ');
    terminal.err(`slipway: ${printable(said)}\n`);
  };
  return { warn, error: warn, info: () => {} };
}
