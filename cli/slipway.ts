// The slipway command: it reads the command line, and says what became of it.

import { Command, CommanderError } from 'commander';
import { printable } from '../shared/printable.js';
import { productVersion } from '../shared/process/version.js';
import { TrustError } from '../shared/trust/trust-error.js';
import { CommandError, exitCodes, SaidError } from './command-error.js';
import { commandTable } from './command-table.js';
import type { Terminal } from './terminal.js';

/**
 * Runs one command.
 *
 * @param words what follows the program's name
 * @returns the exit code (command-error.ts)
 */
export async function runSlipway(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const slipway = await slipwayCommand(words, terminal);
    await slipway.parseAsync([...words], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has said already what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (error instanceof SaidError) return error.exitCode;
    const message = sentence(error);
    if (message === undefined) throw error;
    // Some of it may be another's word: of a service, a node, a file.
    terminal.err(`slipway: ${message.split('\n').map(printable).join('\n')}\n`);
    return error instanceof CommandError ? error.exitCode : exitCodes.failed;
  }
}

/** All commands by name; the one that is called with all that it takes. */
export async function slipwayCommand(words: readonly string[], terminal: Terminal): Promise<Command> {
  const slipway = new Command('slipway')
    .description('Provisions nodes: runs the services, shows what they do, and steers them.')
    .version(productVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .enablePositionalOptions()
    .showHelpAfterError('(--help tells more)')
    .addHelpText('after', exitCodeHelp)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  const called = words.find((word) => !word.startsWith('-'));
  for (const { heading, commands } of commandTable) {
    slipway.commandsGroup(heading);
    for (const { signature, summary, load } of commands) {
      const command = slipway.command(signature).description(summary).helpCommand(false);
      if (command.name() === called) (await load())(command, terminal, words);
    }
  }
  return slipway;
}

const exitCodeHelp = `
slipway COMMAND --help tells more.

Exit codes: 0 done, 1 it could not be done, 2 the command line or a configuration is wrong, 3 nothing was found,
4 the service, or the node that it asks, cannot be reached, 5 not allowed.`;

/** What to say of an error; undefined where it is a fault of the program. */
function sentence(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof TrustError) return error.message;
  // What the system says of a file: "ENOENT: no such file or directory, open '/x'".
  if (error instanceof Error && 'syscall' in error) return error.message;
  return undefined;
}
