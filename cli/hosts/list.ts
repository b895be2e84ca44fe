// slipway hosts: the hosts that the provisioner knows.

import type { Command } from 'commander';
import { HostState } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { ListHostsResponse } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { withProvisioner } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { allPages, pageSize } from '../connection/pages.js';
import { printJson } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { enumNames } from '../text/choice.js';
import { viewOf } from '../text/view.js';
import { hostLines } from './rows.js';

interface Options extends ConnectionOptions {
  readonly state?: HostState[];
  readonly prefix?: string;
  readonly json?: true;
}

export function fillHosts(command: Command, terminal: Terminal): void {
  command
    .option(
      '--state <STATE,…>',
      'those in these states: queued, running, held, backing-off',
      enumNames(HostState),
    )
    .option('--prefix <TEXT>', 'those whose identity begins so')
    .option('--json', 'prints JSON, for programs');
  addConnectionOptions(command, 'provisioner').action((options: Options) => listHosts(options, terminal));
}

async function listHosts(options: Options, terminal: Terminal): Promise<void> {
  const wanted = { states: options.state ?? [], identityPrefix: options.prefix ?? '' };
  const hosts = await withProvisioner(options, terminal, ({ client, call }) =>
    allPages(async (pageToken) => {
      const page = await call(client.listHosts, { pageSize, pageToken, ...wanted });
      return { items: page.hosts, nextPageToken: page.nextPageToken };
    }),
  );
  if (options.json === true) {
    const all = { hosts, nextPageToken: '' };
    await printJson('slipway.provisioner.v1.ListHostsResponse', ListHostsResponse, all, terminal);
    return;
  }
  if (hosts.length === 0) terminal.err('no hosts\n');
  else terminal.out(`${hostLines(hosts, viewOf(terminal)).join('\n')}\n`);
}
