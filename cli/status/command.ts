// slipway status: how the provisioner does.

import type { Command } from 'commander';
import { GetStatusResponse } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { withProvisioner } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { printJson } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { viewOf } from '../text/view.js';
import { statusLines } from './lines.js';

export function fillStatus(command: Command, terminal: Terminal): void {
  command.option('--json', 'prints JSON, for programs');
  addConnectionOptions(command, 'provisioner').action(
    async (options: ConnectionOptions & { json?: true }) => {
      const status = await withProvisioner(options, terminal, ({ client, call }) =>
        call(client.getStatus, {}),
      );
      if (options.json === true) {
        await printJson('slipway.provisioner.v1.GetStatusResponse', GetStatusResponse, status, terminal);
      } else {
        terminal.out(`${statusLines(status, viewOf(terminal)).join('\n')}\n`);
      }
    },
  );
}
