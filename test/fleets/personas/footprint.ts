// What the services hold, as /proc tells it: memory, files, connections, processes.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Footprint {
  readonly rssMiB: number;
  /** What of it is the process's own, and what are pages of files that it has mapped. */
  readonly anonMiB: number;
  readonly fileMiB: number;
  /** Open files of all kinds. */
  readonly files: number;
  readonly sockets: number;
  /** Both ends of each TCP connection that it has open, its own first. */
  readonly connections: readonly (readonly [local: string, remote: string])[];
  /** Ids of processes that it has started. */
  readonly children: readonly number[];
}

/** @returns what a process holds now; undefined where it has ended */
export function footprintOf(pid: number): Footprint | undefined {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
    const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      rssMiB: mibOf(status, 'VmRSS'),
      anonMiB: mibOf(status, 'RssAnon'),
      fileMiB: mibOf(status, 'RssFile'),
      files: links.length,
      sockets: inodes.size,
      connections: ['tcp', 'tcp6'].flatMap((table) =>
        connectionsIn(readFileSync(`/proc/net/${table}`, 'utf8'), inodes),
      ),
      children: childrenOf(pid),
    };
  } catch {
    return undefined;
  }
}

/** @param status as in /proc/PID/status */
function mibOf(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed since the folder was read.
    return '';
  }
}

const established = '01';

/** @param table as in /proc/net/tcp */
function connectionsIn(table: string, inodes: ReadonlySet<string>): [string, string][] {
  return table
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/);
      return state === established && inodes.has(inode) ? [[endOf(local), endOf(remote)]] : [];
    });
}

/** @param hex address and port as in /proc/net/tcp; of an IPv6 address, the IPv4 one in it */
function endOf(hex: string): string {
  const [address = '', port = ''] = hex.split(':');
  const bytes = Buffer.from(address.slice(-8), 'hex').reverse();
  return `${bytes.join('.')}:${Number.parseInt(port, 16)}`;
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number {
  try {
    // The name before it may hold anything, but its bracket is the last one.
    return Number(/^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}
