// slipway provision, reprovision and release: what is asked for one host.

import type { Command } from 'commander';
import {
  ProvisionHostResponse,
  ReleaseHostResponse,
  ReprovisionHostResponse,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { withProvisioner } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { printJson } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { provisionLine, releaseLine, reprovisionLine } from './lines.js';

interface Options extends ConnectionOptions {
  readonly json?: true;
  readonly address?: string;
  readonly force?: true;
}

/** The node has to be asked, or a run to end: that may take longer than a look. */
const timeout = '1m';

const addressHelp = 'where it serves the node contract; needed where the provisioner does not know it';

export function fillProvision(command: Command, terminal: Terminal): void {
  command
    .option('--address <HOST:PORT>', addressHelp)
    .option(
      '--force',
      'also where another provisioner, whose clock is far ahead, has worked on the node (FENCE_AHEAD)',
    )
    .option('--json', 'prints JSON, for programs')
    .addHelpText(
      'after',
      '\nEnds a hold or backing off. Exits when the host is queued, or a run works on it: slipway events --follow --host ID\n' +
        'tells what becomes of it.',
    );
  addConnectionOptions(command, 'provisioner', timeout).action(async (identity: string, options: Options) => {
    const { address = '', force = false } = options;
    const response = await withProvisioner(options, terminal, ({ client, call }) =>
      call(client.provisionHost, { identity, address, force }),
    );
    if (options.json === true) {
      await printJson(
        'slipway.provisioner.v1.ProvisionHostResponse',
        ProvisionHostResponse,
        response,
        terminal,
      );
    } else {
      terminal.out(`${provisionLine(identity, response)}\n`);
    }
  });
}

export function fillReprovision(command: Command, terminal: Terminal): void {
  command.option('--address <HOST:PORT>', addressHelp).option('--json', 'prints JSON, for programs');
  addConnectionOptions(command, 'provisioner', timeout).action(async (identity: string, options: Options) => {
    const response = await withProvisioner(options, terminal, ({ client, call }) =>
      call(client.reprovisionHost, { identity, address: options.address ?? '' }),
    );
    if (options.json === true) {
      await printJson(
        'slipway.provisioner.v1.ReprovisionHostResponse',
        ReprovisionHostResponse,
        response,
        terminal,
      );
    } else {
      terminal.out(`${reprovisionLine(identity, response)}\n`);
    }
  });
}

export function fillRelease(command: Command, terminal: Terminal): void {
  command
    .option('--json', 'prints JSON, for programs')
    .addHelpText(
      'after',
      '\nA run that works on it is cancelled; one that has begun to configure its node finishes first.',
    );
  addConnectionOptions(command, 'provisioner', timeout).action(async (identity: string, options: Options) => {
    const response = await withProvisioner(options, terminal, ({ client, call }) =>
      call(client.releaseHost, { identity }),
    );
    if (options.json === true) {
      await printJson('slipway.provisioner.v1.ReleaseHostResponse', ReleaseHostResponse, response, terminal);
    } else {
      terminal.out(`${releaseLine(identity, response)}\n`);
    }
  });
}
