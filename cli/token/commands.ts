// slipway token …
import type { Command } from 'commander';
import type { Terminal } from '../terminal.js';
export function addTokenCommands(_slipway: Command, _terminal: Terminal): void {}
