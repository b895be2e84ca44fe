// The settings that every service has (design, section 11), with the meaning of each.

import { resolve } from 'node:path';
import type { TlsConfig } from '../tls/load-tls.js';
import { duration, enumOf, listenAddress, port, resolving, text } from './fields.js';
import { tlsSettings } from './tls-settings.js';

/** Goes into gRPC metadata and metric labels, hence ASCII. */
const sitePattern = /^[!-~](?:[ -~]{0,62}[!-~])?$/;

/**
 * The settings that every service has.
 *
 * @param defaults what differs between services
 */
export function commonFields(defaults: { readonly listen: string; readonly monitorPort: number }) {
  return {
    /** The name of this installation: a label on every metric, log line and event. */
    site: text('a name of at most 64 printable ASCII characters', sitePattern).default('default'),
    /** What is logged: this level and those above it. */
    loglevel: enumOf(['debug', 'info', 'warn', 'error']).default('info'),
    /** `stdout`, or the file that log lines are appended to. */
    logfile: resolving('a path, or stdout', (folder, value) =>
      value === 'stdout' ? value : resolve(folder, value),
    ).default('stdout'),
    /** Where the service's own API listens. */
    listen: listenAddress().default(defaults.listen),
    /** Where /livez, /readyz and /metrics are served. */
    monitor_host: text('a host name or an IP address').default('0.0.0.0'),
    /** The port of the same; 0 turns it off. */
    monitor_port: port().default(defaults.monitorPort),
    /** Encryption, and who is who. */
    tls: tlsSettings(),
    /** How long a stop may take, in milliseconds, before what is left is cut off. */
    shutdown_grace: duration().prefault('20s'),
  };
}

/** What a service says at start about running without TLS. */
export function insecureWarnings(config: { readonly tls: TlsConfig }): string[] {
  const { mode, cert, key, ca } = config.tls;
  if (mode !== 'insecure') return [];
  const without =
    'tls.mode is insecure: nothing is encrypted and no peer is authenticated; bearer tokens and proofs protect ' +
    'nothing, and whoever reaches these ports can read and change what is sent';
  const set = Object.entries({ cert, key, ca }).flatMap(([name, path]) =>
    path === undefined ? [] : `tls.${name}`,
  );
  if (set.length === 0) return [without];
  return [without, `${set.join(', ')}: without effect while tls.mode is insecure`];
}
