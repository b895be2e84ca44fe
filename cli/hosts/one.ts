// slipway host ID and slipway why ID: one host, all about it, or what it waits for.

import type { Command } from 'commander';
import { GetHostResponse } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { withProvisioner } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { printJson } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { type View, viewOf } from '../text/view.js';
import { hostDetails } from './details.js';
import { whyLines } from './why.js';

export function fillHost(command: Command, terminal: Terminal): void {
  fill(command, terminal, hostDetails);
}

export function fillWhy(command: Command, terminal: Terminal): void {
  fill(command, terminal, whyLines);
}

function fill(
  command: Command,
  terminal: Terminal,
  render: (response: GetHostResponse, view: View) => string[],
): void {
  command.option('--json', 'prints JSON, for programs');
  addConnectionOptions(command, 'provisioner').action(
    async (identity: string, options: ConnectionOptions & { json?: true }) => {
      const response = await withProvisioner(options, terminal, ({ client, call }) =>
        call(client.getHost, { identity }),
      );
      if (options.json === true) {
        await printJson('slipway.provisioner.v1.GetHostResponse', GetHostResponse, response, terminal);
      } else {
        terminal.out(`${render(response, viewOf(terminal)).join('\n')}\n`);
      }
    },
  );
}
