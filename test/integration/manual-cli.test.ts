// The manual of the slipway command keeps up with the command: every command, flag and exit code stands in it, and it
// has none that is not there.

import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../cli/command-error.js';
import { commandTable } from '../../cli/command-table.js';
import { slipwayCommand } from '../../cli/slipway.js';
import { type ServiceName, serviceNames, type Terminal } from '../../cli/terminal.js';
import { Page, quoted } from './manual-support.js';

const page = new Page('docs/cli.md');
const sections = ['See what happens', 'Steer', 'Prepare', 'Run services'];

const nowhere: Terminal = {
  out: () => {},
  room: () => undefined,
  err: () => {},
  readInput: async () => '',
  now: () => new Date(0),
  env: {},
  columns: undefined,
  timeZone: 'UTC',
  onStop: () => {},
  runService: async () => {},
};

/** What can be called: `token view`, with all of its flags. */
async function callable(): Promise<{ readonly name: string; readonly flags: readonly string[] }[]> {
  const names = commandTable.flatMap(({ commands }) =>
    commands.map(({ signature }) => signature.split(' ')[0] ?? ''),
  );
  const found = await Promise.all(
    names.map(async (name) => {
      const command = (await slipwayCommand([name], nowhere)).commands.find((each) => each.name() === name);
      return command === undefined ? [] : leavesOf(command, name);
    }),
  );
  return found.flat();
}

function leavesOf(
  command: Command,
  name: string,
): { readonly name: string; readonly flags: readonly string[] }[] {
  if (command.commands.length > 0) {
    return command.commands.flatMap((each) => leavesOf(each, `${name} ${each.name()}`));
  }
  return [{ name, flags: command.options.flatMap(({ long }) => (long ? [long] : [])) }];
}

/** The flags in backticks in a text. */
function flagsIn(text: string): string[] {
  return quoted(text).flatMap((code) => code.match(/--[a-z][a-z0-9-]*/g) ?? []);
}

describe('the manual of the slipway command', () => {
  test('has every command, and no other', async () => {
    const documented = sections
      .flatMap((section) => page.namesUnder(section))
      .map((call) => call.replace(/^slipway /, '').replace(/ (\[?[A-Z]|--).*$/, ''));
    expect(documented).toEqual((await callable()).map(({ name }) => name));
  });

  test('has every flag, and no other', async () => {
    const known = new Set((await callable()).flatMap(({ flags }) => flags));
    const documented = new Set(flagsIn(page.text));
    for (const flag of ['--help', '--version', '--config']) documented.delete(flag);
    expect([...documented].toSorted()).toEqual([...known].toSorted());
  });

  test('has every exit code', () => {
    expect(page.rowsUnder('Exit codes').map(([code]) => Number(code))).toEqual(Object.values(exitCodes));
  });

  test('services come last, each with its name', () => {
    const last = commandTable.at(-1)?.commands.map(({ signature }) => signature as ServiceName);
    expect(last).toEqual([...serviceNames]);
  });
});
