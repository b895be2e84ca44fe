// The tls settings of a service (design, sections 8 and 11).

import { z } from 'zod';
import { checkRolePattern, defaultRolePatterns, type Role } from '../tls/roles.js';
import { enumOf, listOf, path, text } from './fields.js';
import { rule } from './rule.js';

interface Written {
  readonly mode: 'required' | 'insecure';
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly ca?: string | undefined;
}

/** Says so where files are missing; where all are, that is a word about TLS as a whole. */
function missingFile(setting: 'cert' | 'key' | 'ca') {
  return rule<Written>([setting, 'mode'], (tls) => {
    if (tls.mode === 'insecure' || tls[setting] !== undefined || hasNone(tls)) return undefined;
    return 'is required: expected a path';
  });
}

const needsFiles = rule<Written>(['mode'], (tls) => {
  if (tls.mode === 'insecure' || !hasNone(tls)) return undefined;
  return (
    'TLS needs a certificate, its key and a CA: set tls.cert, tls.key and tls.ca (`slipway certs dev DIR` makes ' +
    'some for a trial); or write `tls: {mode: insecure}` (or SLIPWAY_TLS_MODE=insecure) to run without TLS, where ' +
    'nobody but the nodes and the services can reach the network'
  );
});

function hasNone({ cert, key, ca }: Written): boolean {
  return cert === undefined && key === undefined && ca === undefined;
}

function patterns(role: Role) {
  const pattern = text(
    'a pattern such as URI:slipway:role:viewer or DNS:.*\\\\.ops\\\\.example\\\\.net',
  ).superRefine((value, context) => {
    try {
      checkRolePattern(value);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      context.addIssue({ code: 'custom', message });
    }
  });
  return listOf(pattern).default([...defaultRolePatterns[role]]);
}

/** Files are read when the service starts, not here. */
export function tlsSettings() {
  return z
    .object({
      /** `insecure` has to be written: without TLS, bearer tokens and proofs protect nothing. */
      mode: enumOf(['required', 'insecure']).default('required'),
      /** The service's certificate, and after it those between it and the CA; PEM. Read again when it changes. */
      cert: path().optional(),
      /** The certificate's private key, not encrypted; PEM. */
      key: path().optional(),
      /** The CA certificates that clients, services and this service's own certificate lead to; PEM. */
      ca: path().optional(),
      /** Which names in a client's certificate give it which role; a role that is named replaces its default. */
      roles: z
        .object({
          /** May watch and list. */
          viewer: patterns('viewer'),
          /** May also steer: pause, provision, release, discover. */
          operator: patterns('operator'),
          /** May watch nodes and ask for cycles: the provisioner itself. */
          provisioner: patterns('provisioner'),
        })
        .prefault({}),
    })
    .check(needsFiles, missingFile('cert'), missingFile('key'), missingFile('ca'))
    .prefault({});
}
