// slipway nodes and slipway discover: what discovery knows, and that it looks.

import { type Command, InvalidArgumentError } from 'commander';
import { DiscoverResponse, ListNodesResponse } from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { withDiscovery } from '../connection/connect.js';
import { addConnectionOptions, type ConnectionOptions } from '../connection/options.js';
import { pageSize, pagesOf } from '../connection/pages.js';
import { openList, printPages } from '../json/list.js';
import { printJson } from '../json/print.js';
import type { Terminal } from '../terminal.js';
import { count } from '../text/count.js';
import { viewOf } from '../text/view.js';
import { nodeLines, nodeRow } from './rows.js';

interface Options extends ConnectionOptions {
  readonly component?: string[];
  readonly label?: Readonly<Record<string, string>>;
  readonly json?: true;
}

export function fillNodes(command: Command, terminal: Terminal): void {
  command
    .option('--component <NAME>', 'those of this component; may be given several times', collect)
    .option('--label <NAME=VALUE>', 'those with this label; may be given several times', collectLabel)
    .option('--json', 'prints JSON, for programs');
  addConnectionOptions(command, 'discovery').action((options: Options) => listNodes(options, terminal));
}

export function fillDiscover(command: Command, terminal: Terminal): void {
  command.option('--json', 'prints JSON, for programs');
  addConnectionOptions(command, 'discovery').action(async (options: Options) => {
    const response = await withDiscovery(options, terminal, ({ client, call }) => call(client.discover, {}));
    if (options.json === true) {
      await printJson('slipway.discovery.v1.DiscoverResponse', DiscoverResponse, response, terminal);
    } else {
      const { sighted, probed } = response;
      terminal.out(
        `${count(sighted, 'node is', 'nodes are')} sighted, ${count(probed, 'target is', 'targets are')} probed\n`,
      );
    }
  });
}

async function listNodes(options: Options, terminal: Terminal): Promise<void> {
  const filter = { components: options.component ?? [], labels: options.label ?? {} };
  await withDiscovery(options, terminal, async ({ client, call }) => {
    const pages = pagesOf((pageToken) => call(client.listNodes, { pageSize, pageToken, filter }));
    if (options.json === true) {
      const name = 'slipway.discovery.v1.ListNodesResponse';
      await printPages(pages, await openList(name, ListNodesResponse, 'nodes', terminal));
      return;
    }
    const view = viewOf(terminal);
    const rows: string[][] = [];
    for await (const { nodes } of pages) for (const node of nodes) rows.push(nodeRow(node, view));
    if (rows.length === 0) terminal.err('no nodes\n');
    else terminal.out(`${nodeLines(rows, view).join('\n')}\n`);
  });
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function collectLabel(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Expected NAME=VALUE.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}
