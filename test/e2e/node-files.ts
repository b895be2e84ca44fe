// The files of nodes as they are on disk, read without the services' code.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '../../cli/launch/stack.js';

/** One node's folder. */
export class NodeFiles {
  readonly identity: string;
  readonly directory: string;

  constructor(stack: Pick<Stack, 'nodesDirectory'>, identity: string) {
    this.identity = identity;
    this.directory = join(stack.nodesDirectory, identity);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** @returns permissions, as in 0600 */
  mode(name: string): string {
    return `0${(statSync(this.path(name)).mode & 0o777).toString(8)}`;
  }

  /** @returns the settings of server.conf, which has one `key = value` in each line */
  settings(): Record<string, string> {
    const lines = this.read('server.conf').trimEnd().split('\n');
    return Object.fromEntries(lines.map((line) => line.split(/ = (.*)/).slice(0, 2)));
  }
}

/** @returns every node that has a folder, in the order of their numbers */
export function filesOfNodes(stack: Pick<Stack, 'nodesDirectory'>): NodeFiles[] {
  return readdirSync(stack.nodesDirectory)
    .sort()
    .map((identity) => new NodeFiles(stack, identity));
}
