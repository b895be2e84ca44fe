// slipway token …: makes provisioning tokens, and looks at any token.

import type { Command } from 'commander';
import type { Terminal } from '../terminal.js';
import { addProvisioningCommand } from './provisioning.js';
import { addVerifyCommand } from './verify.js';
import { addViewCommand } from './view.js';

export function addTokenCommands(slipway: Command, terminal: Terminal): void {
  const token = slipway
    .command('token')
    .description('tokens that nodes boot with, and tokens that they are given')
    .helpCommand(false);
  addProvisioningCommand(token, terminal);
  addViewCommand(token, terminal);
  addVerifyCommand(token, terminal);
}
