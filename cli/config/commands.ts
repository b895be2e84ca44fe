// slipway config check: whether a service would start with a configuration.

import { Argument, type Command } from 'commander';
import { ConfigError } from '../../shared/config/config-error.js';
import { exitCodes, SaidError } from '../command-error.js';
import { jsonDocument } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { viewOf } from '../text/view.js';
import { type Checked, type CheckedService, checkedServices, checkService } from './check.js';
import { checkedLines } from './lines.js';

export function fillConfig(config: Command, terminal: Terminal): void {
  config
    .command('check')
    .description('Loads the configuration of a service as the service does, with the files that it names.')
    .addArgument(new Argument('<SERVICE>', 'discovery or provisioner').choices([...checkedServices]))
    .argument('[FILE]', 'the configuration; else SLIPWAY_CONFIG, else /etc/slipway/SERVICE.yaml')
    .option('--json', 'prints JSON, for programs')
    .addHelpText(
      'after',
      '\nSettings from the environment count, as they do for the service. Nothing is started and no port is opened.\n' +
        'Exit codes: 0 it can be used, 2 it cannot.',
    )
    .action((service: CheckedService, file: string | undefined, options: { readonly json?: true }) =>
      check(service, file, options.json === true, terminal),
    );
}

async function check(
  service: CheckedService,
  file: string | undefined,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const checked = await attempt(service, file, terminal);
  if (json) {
    const { problems, warnings } = checked;
    terminal.out(jsonDocument({ ok: problems.length === 0, problems, warnings }));
  } else {
    const { results, errors } = checkedLines(service, checked, viewOf(terminal));
    terminal.out(results.map((line) => `${line}\n`).join(''));
    terminal.err(errors.map((line) => `${line}\n`).join(''));
  }
  if (checked.problems.length > 0) throw new SaidError(exitCodes.usage);
}

async function attempt(
  service: CheckedService,
  file: string | undefined,
  terminal: Terminal,
): Promise<Checked> {
  const warnings: string[] = [];
  try {
    await checkService(service, { file, env: terminal.env }, (warning) => warnings.push(warning));
    return { problems: [], warnings, message: '' };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems, warnings, message: error.message };
  }
}
