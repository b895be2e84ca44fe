// slipway discovery, provisioner and mock-node: run the services. Their flags are theirs.

import type { Command } from 'commander';
import type { ServiceName, Terminal } from '../terminal.js';

/** @returns what makes a command of the service, which gets all that follows its name */
export function serviceCommand(name: ServiceName) {
  return (command: Command, terminal: Terminal, words: readonly string[]): void => {
    command
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => terminal.runService(name, words.slice(words.indexOf(name) + 1)));
  };
}
