// slipway hosts: the hosts that the provisioner knows.

import type { Command } from 'commander';
import { HostState } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { ListHostsResponse } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { withProvisioner } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { pageSize, pagesOf } from '../connection/pages.js';
import { openList, printPages } from '../json/list.js';
import type { Terminal } from '../terminal.js';
import { enumNames } from '../text/choice.js';
import type { Toned } from '../text/paint.js';
import { viewOf } from '../text/view.js';
import { hostLines, hostRow } from './rows.js';

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
  await withProvisioner(options, terminal, async ({ client, call }) => {
    const pages = pagesOf((pageToken) => call(client.listHosts, { pageSize, pageToken, ...wanted }));
    if (options.json === true) {
      const name = 'slipway.provisioner.v1.ListHostsResponse';
      await printPages(pages, await openList(name, ListHostsResponse, 'hosts', terminal));
      return;
    }
    const view = viewOf(terminal);
    const rows: Toned[][] = [];
    for await (const { hosts } of pages) for (const host of hosts) rows.push(hostRow(host, view));
    if (rows.length === 0) terminal.err('no hosts\n');
    else terminal.out(`${hostLines(rows, view).join('\n')}\n`);
  });
}
