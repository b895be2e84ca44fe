// slipway certs …: certificates to try Slipway with.

import { type Command, InvalidArgumentError } from 'commander';
import type { Terminal } from '../terminal.js';
import { makeDevelopmentCertificates } from './development.js';
import { parseHost } from './hosts.js';
import { report } from './report.js';

const defaultDays = 365;
/** Longer than any certificate should live, and short of the end of time in X.509. */
const mostDays = 3650;

export function fillCerts(certs: Command, terminal: Terminal): void {
  certs
    .command('dev')
    .description(
      'Makes a development CA and certificates for discovery, the provisioner, an operator and a viewer in DIR.',
    )
    .argument('<DIR>', 'where they go; made where it is missing')
    .option('--days <N>', 'how long the certificates are valid', parseDays, defaultDays)
    .option(
      '--host <NAME>',
      'another name or IP address at which the services are reached; may be given several times',
      (name: string, before: readonly string[] = []) => [...before, checkedHost(name)],
    )
    .option('--force', 'makes the certificates anew, of the CA that is there')
    .addHelpText('after', rules)
    .action(async (directory: string, options: DevOptions) => {
      const made = await makeDevelopmentCertificates({
        directory,
        days: options.days,
        hosts: options.host ?? [],
        force: options.force === true,
        now: terminal.now(),
      });
      terminal.out(report(made));
    });
}

interface DevOptions {
  readonly days: number;
  readonly host?: readonly string[];
  readonly force?: true;
}

const rules = `
What is there already is kept, and only what is missing is made. Certificates that are kept must be of the CA in
DIR and name every --host, or nothing is changed. --force renews all certificates and their keys; services take
them without a restart. The CA is never replaced, because the tokens of nodes name it: for a new one, remove
ca.pem and ca-key.pem and use --force.

Who has ca-key.pem can make a certificate for any role. These are for trying and for tests; a site has a CA of its
own.
`;

function parseDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > mostDays) throw new InvalidArgumentError(`Expected whole days, 1 to ${mostDays}.`);
  return days;
}

function checkedHost(name: string): string {
  if (parseHost(name) === undefined) throw new InvalidArgumentError('Expected a host name or an IP address.');
  return name;
}
