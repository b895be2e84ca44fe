// slipway token view: what a token says, without believing it.

import type { Command } from 'commander';
import { type OpenedToken, openToken } from '../../shared/trust/compact-token.js';
import { readText } from '../files/read.js';
import { jsonDocument } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { describeToken } from './describe.js';

export function addViewCommand(token: Command, terminal: Terminal): void {
  token
    .command('view')
    .description('Prints what a token says. It verifies nothing: "slipway token verify" does.')
    .argument('<FILE>', 'the token; "-" for standard input')
    .option('--json', 'prints the claims as JSON')
    .option('--show-secrets', 'prints secrets and passwords, too')
    .action(async (file: string, options: Options) => {
      const opened = openToken(await readText(file, 'the token', terminal));
      const shown = options.showSecrets === true ? opened : masked(opened);
      terminal.out(
        options.json === true
          ? jsonDocument(Object.fromEntries(shown.claims))
          : describeToken(shown, terminal.now()),
      );
    });
}

interface Options {
  readonly json?: true;
  readonly showSecrets?: true;
}

/** The provisioning secret, and the password for brokers. */
const secrets: readonly string[] = ['cht', 'chpwd'];

function masked(token: OpenedToken): OpenedToken {
  const claims = [...token.claims].map(([name, value]) =>
    secrets.includes(name) && value !== '' ? ([name, '[secret]'] as const) : ([name, value] as const),
  );
  return { ...token, claims: new Map(claims) };
}
