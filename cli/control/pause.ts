// slipway pause and resume.

import type { Command } from 'commander';
import {
  PauseResponse,
  type PauseStatus,
  ResumeResponse,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { withProvisioner } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { printJson } from '../json/print.js';
import { pauseLine } from '../status/lines.js';
import type { Terminal } from '../terminal.js';
import { textOf } from '../text/paint.js';
import { viewOf } from '../text/view.js';

interface Options extends ConnectionOptions {
  readonly json?: true;
}

export function fillPause(command: Command, terminal: Terminal): void {
  command
    .option('--json', 'prints JSON, for programs')
    .addHelpText(
      'after',
      '\nRuns that have begun to configure their node finish; others go back to the head of the queue. MESSAGE is shown to\n' +
        'whoever asks why. A pause survives a restart of the provisioner.',
    );
  addConnectionOptions(command, 'provisioner').action(
    async (message: string | undefined, options: Options) => {
      const response = await withProvisioner(options, terminal, ({ client, call }) =>
        call(client.pause, { message: message ?? '' }),
      );
      if (options.json === true) {
        await printJson('slipway.provisioner.v1.PauseResponse', PauseResponse, response, terminal);
      } else {
        terminal.out(`paused: ${pauseText(response.pause, terminal)}\n`);
        if (message !== undefined && message !== response.pause?.message)
          terminal.err('it was paused already and its message stays: resume and pause again to change it\n');
      }
    },
  );
}

export function fillResume(command: Command, terminal: Terminal): void {
  command.option('--json', 'prints JSON, for programs');
  addConnectionOptions(command, 'provisioner').action(
    async (message: string | undefined, options: Options) => {
      const response = await withProvisioner(options, terminal, ({ client, call }) =>
        call(client.resume, { message: message ?? '' }),
      );
      if (options.json === true) {
        await printJson('slipway.provisioner.v1.ResumeResponse', ResumeResponse, response, terminal);
      } else if (response.pause?.paused === true) {
        terminal.out(`resumed, and still paused: ${pauseText(response.pause, terminal)}\n`);
      } else {
        terminal.out('resumed\n');
      }
    },
  );
}

function pauseText(pause: PauseStatus | undefined, terminal: Terminal): string {
  return textOf(pauseLine(pause, viewOf(terminal)));
}
