// slipway helper test: what the helper would do for a node, and what would follow. Nothing is touched.

import type { Command } from 'commander';
import { Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import {
  type TestHelperRequest,
  TestHelperResponse,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { exitCodes, SaidError, UsageError } from '../command-error.js';
import { withProvisioner } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { readText } from '../files/read.js';
import { printJson } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { viewOf } from '../text/view.js';
import { helperLines } from './lines.js';

interface Options extends ConnectionOptions {
  readonly input?: string;
  readonly json?: true;
}

/** As much as the provisioner takes: an inventory may be large. */
const longestInput = 4_000_000;

export function fillHelper(helper: Command, terminal: Terminal): void {
  const test = helper
    .command('test')
    .description('Runs the helper of the provisioner, calls no node and changes nothing.')
    .argument('[ID]', 'a host: the helper is given what its last run fetched')
    .option('--input <FILE>', 'what the helper is given instead, a JSON object; "-" for standard input')
    .option('--json', 'prints JSON, for programs')
    .addHelpText('after', '\nExit codes: 0 a run would go well, or wait; 1 it would fail.');
  addConnectionOptions(test, 'provisioner', '1m').action((identity: string | undefined, options: Options) =>
    testHelper(identity, options, terminal),
  );
}

async function testHelper(identity: string | undefined, options: Options, terminal: Terminal): Promise<void> {
  const request = await requestOf(identity, options.input, terminal);
  const response = await withProvisioner(options, terminal, ({ client, call }) =>
    call(client.testHelper, request),
  );
  if (options.json === true) {
    await printJson('slipway.provisioner.v1.TestHelperResponse', TestHelperResponse, response, terminal);
  } else {
    terminal.out(`${helperLines(response, viewOf(terminal)).join('\n')}\n`);
  }
  const { outcome } = response;
  if (outcome === Outcome.FAILED || outcome === Outcome.UPGRADE_FAILED) throw new SaidError(exitCodes.failed);
}

async function requestOf(
  identity: string | undefined,
  input: string | undefined,
  terminal: Terminal,
): Promise<TestHelperRequest> {
  if ((identity === undefined) === (input === undefined)) {
    throw new UsageError('give either the ID of a host, or --input FILE');
  }
  if (input === undefined) return { input: { $case: 'identity', value: identity ?? '' } };
  const value = await readText(input, 'the input of the helper', terminal, longestInput);
  return { input: { $case: 'inputJson', value } };
}
