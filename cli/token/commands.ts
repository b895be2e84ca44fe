// slipway token …: makes provisioning tokens, and looks at any token.

import type { Command } from 'commander';
import type { Terminal } from '../terminal.js';
import { addProvisioningCommand } from './provisioning.js';
import { addVerifyCommand } from './verify.js';
import { addViewCommand } from './view.js';

export function fillToken(token: Command, terminal: Terminal): void {
  addProvisioningCommand(token, terminal);
  addViewCommand(token, terminal);
  addVerifyCommand(token, terminal);
}
