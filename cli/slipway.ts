// The slipway command: what commands there are, and what becomes of their errors.

import { Command, CommanderError } from 'commander';
import { productVersion } from '../shared/process/version.js';
import { TrustError } from '../shared/trust/trust-error.js';
import { addCertsCommands } from './certs/commands.js';
import { CommandError, exitCodes } from './command-error.js';
import { addKeysCommands } from './keys/commands.js';
import type { Terminal } from './terminal.js';
import { addTokenCommands } from './token/commands.js';

/**
 * Runs one command.
 *
 * @param words what follows the program's name
 * @returns the exit code: 0 done, 1 it could not be done (or a token is not valid), 2 the command line is wrong
 */
export async function runSlipway(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await slipwayCommand(terminal).parseAsync([...words], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has said already what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const message = sentence(error);
    if (message === undefined) throw error;
    terminal.err(`slipway: ${message}\n`);
    return error instanceof CommandError ? error.exitCode : exitCodes.failed;
  }
}

function slipwayCommand(terminal: Terminal): Command {
  const slipway = new Command('slipway')
    .description('Makes and inspects what a site trusts: certificates, keys and tokens.')
    .version(productVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  addCertsCommands(slipway, terminal);
  addKeysCommands(slipway, terminal);
  addTokenCommands(slipway, terminal);
  return slipway;
}

/** What to say of an error; undefined where it is a fault of the program. */
function sentence(error: unknown): string | undefined {
  if (error instanceof CommandError || error instanceof TrustError) return error.message;
  // What the system says of a file: "ENOENT: no such file or directory, open '/x'".
  if (error instanceof Error && 'syscall' in error) return error.message;
  return undefined;
}
