// The settings that every service has (design, section 11), with the meaning of each.

import { resolve } from 'node:path';
import { z } from 'zod';
import { duration, enumOf, later, listenAddress, port, resolving, text } from './fields.js';

const insecureOnly =
  'TLS is not available in this version; write `tls: {mode: insecure}` (or SLIPWAY_TLS_MODE=insecure) to run ' +
  'without it, where nobody but the nodes and the services can reach the network';

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
    tls: z
      .object({
        /** `insecure` has to be written: without TLS, bearer tokens and proofs protect nothing. */
        mode: enumOf(['required', 'insecure'])
          .default('required')
          .refine((mode) => mode !== 'required', { error: insecureOnly }),
        cert: later(undefined, 'a certificate (TLS)'),
        key: later(undefined, 'a private key (TLS)'),
        ca: later(undefined, 'a CA certificate (TLS)'),
        roles: later(undefined, 'roles of client certificates (TLS)'),
      })
      .prefault({}),
    /** How long a stop may take, in milliseconds, before what is left is cut off. */
    shutdown_grace: duration().prefault('20s'),
  };
}

/** What a service says at start about running without TLS. */
export function insecureWarnings(config: { readonly tls: { readonly mode: string } }): string[] {
  if (config.tls.mode !== 'insecure') return [];
  return [
    'tls.mode is insecure: nothing is encrypted and no peer is authenticated; bearer tokens and proofs protect ' +
      'nothing, and whoever reaches these ports can read and change what is sent',
  ];
}
