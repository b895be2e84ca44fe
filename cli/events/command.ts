// slipway events: what is in the log, or what happens, as lines or as JSON.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { EventFilter, EventType, type LogPosition } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { withEvents } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import type { Terminal } from '../terminal.js';
import { enumNames } from '../text/choice.js';
import { follow } from './follow.js';
import { parsePosition } from './position.js';
import { printAll, printNewest } from './read.js';
import type { Start } from './watch.js';

interface Options extends ConnectionOptions {
  readonly follow?: true;
  readonly after?: LogPosition;
  readonly earliest?: true;
  readonly last: number;
  readonly type?: EventType[];
  readonly host?: string;
  readonly prefix?: string;
  readonly run?: string;
  readonly outcome?: Outcome[];
  readonly json?: true;
}

export function fillEvents(command: Command, terminal: Terminal): void {
  command
    .option('-f, --follow', 'goes on with what happens, until it is stopped; comes back by itself')
    .addOption(
      new Option('--after <LOG_ID:SEQ>', 'those after this place, as the end of a watch prints it')
        .argParser(parsePosition)
        .conflicts('earliest'),
    )
    .option('--earliest', 'from the oldest that the log still has')
    .option('--last <N>', 'where neither is given: the newest N, of what is there', parseCount, usualCount)
    .option('--type <TYPE,…>', 'of these types: run-finished, node-confirmed …', enumNames(EventType))
    .option('--host <ID>', 'of this host')
    .option('--prefix <TEXT>', 'of hosts whose identity begins so')
    .option('--run <RUN_ID>', 'of this run')
    .option(
      '--outcome <OUTCOME,…>',
      'ends of runs with these outcomes: failed, deferred …',
      enumNames(Outcome),
    )
    .option('--json', 'prints JSON, for programs; with --follow a line for each event')
    .addHelpText('after', help);
  addConnectionOptions(command, 'provisioner').action(async (options: Options) => {
    await withEvents(options, terminal, (connection) => {
      const filter = filterOf(options);
      const start = startOf(options);
      const json = options.json === true;
      if (options.follow === true) {
        return follow(connection, { start: start ?? { $case: 'now', value: {} }, filter, json }, terminal);
      }
      if (start === undefined)
        return printNewest(connection, { count: options.last, filter, json }, terminal);
      return printAll(connection, { start, filter, json }, terminal);
    });
  });
}

const usualCount = 50;

const help = `
What is missing is told, as a gap. At its end --follow prints the place that it came to, for --after.`;

function parseCount(text: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new InvalidArgumentError('Expected a whole number from 1 on.');
  return number;
}

function filterOf({ type, host, prefix, run, outcome }: Options): EventFilter {
  return EventFilter.create({
    types: type ?? [],
    identity: host ?? '',
    identityPrefix: prefix ?? '',
    runId: run ?? '',
    outcomes: outcome ?? [],
  });
}

function startOf({ after, earliest }: Options): Start | undefined {
  if (after !== undefined) return { $case: 'after', value: after };
  return earliest === true ? { $case: 'earliest', value: {} } : undefined;
}
