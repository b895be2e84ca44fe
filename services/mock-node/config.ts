// The command line of the mock node (design, section 11): every flag, its meaning and default, and what is
// said about wrong ones. All problems are told at once.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { suggestion } from '../../shared/config/nearest.js';
import { durationMs } from '../../shared/durations.js';
import { type Identity, parseIdentity } from '../../shared/identity.js';
import type { LogLevel } from '../../shared/logger.js';
import { formatHostPort, parseHostPort } from '../../shared/net/addresses.js';
import type { Addressing } from './swarm/listeners.js';
import { identityOf, mostLoopbackNodes } from './swarm/names.js';

export interface MockNodeConfig {
  /** host:port. */
  readonly listen: string;
  /** host:port of discovery's listener for nodes; undefined: the nodes do not report. */
  readonly discovery: string | undefined;
  /** One for each node. */
  readonly identities: readonly Identity[];
  readonly addressing: Addressing;
  /** What all nodes report as their host; empty: the address that they report from, or their loopback address. */
  readonly advertiseHost: string;
  /** Absolute; undefined: a temporary folder that is removed at the end. */
  readonly directory: string | undefined;
  readonly tls: boolean;
  /** One certificate for all boots of the process. */
  readonly shareCertificate: boolean;
  /** PEM of discovery's CA, absolute; undefined: the token names it. */
  readonly caFile: string | undefined;
  /** The provisioning token, absolute. */
  readonly tokenFile: string | undefined;
  /** The provisioning secret, absolute. */
  readonly secretFile: string | undefined;
  readonly monitorHost: string;
  /** 0: no monitor. */
  readonly monitorPort: number;
  readonly startWithinMs: number;
  readonly downMs: number;
  readonly logLevel: LogLevel;
}

/** The command line cannot be used; the message has a line for each problem. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

export const usage = `usage: slipway mock-node [flags]

Plays one node that wants provisioning, or a swarm of them.

  --listen HOST:PORT        where nodes answer (0.0.0.0:7430)
  --discovery HOST:PORT     discovery's listener for nodes; without it nodes do not report
  --identity NAME           the node's name (the host name); of a swarm, the name that numbers go into
                            (node.swarm.local gives node-00001.swarm.local)
  --nodes N                 how many nodes to play (1)
  --addresses loopback      nodes of a swarm differ by loopback address, 127.1.0.1 and up; default
              ports         nodes of a swarm differ by port, from that of --listen on
  --advertise-host HOST     the host that nodes report, where discovery trusts advertised hosts
  --dir PATH                keeps state in PATH/IDENTITY; without it, in a temporary folder
  --jwt-file PATH           the provisioning token, read anew at each boot; its cht is the secret
  --secret-file PATH        the provisioning secret of nodes without a token; without either, any proof is accepted
  --ca PATH                 the CA certificate of discovery; without it, the token names it. A node that knows it from
                            neither does not report
  --tls-mode required       nodes serve with a certificate of each boot, and sign their reports; default
             insecure       nothing is encrypted
  --share-certificate       one certificate for all boots of this process: a large swarm starts sooner
  --monitor-port PORT       /livez, /readyz and /metrics; 0 for none (0)
  --monitor-host HOST       where they listen (0.0.0.0)
  --start-within DURATION   spreads the first boots (1s)
  --down-time DURATION      how long a node is down while it restarts (100ms)
  --loglevel LEVEL          debug, info, warn or error (info)
  --help                    prints this
`;

const options = {
  listen: { type: 'string', default: '0.0.0.0:7430' },
  discovery: { type: 'string' },
  identity: { type: 'string' },
  nodes: { type: 'string', default: '1' },
  addresses: { type: 'string', default: 'loopback' },
  'advertise-host': { type: 'string', default: '' },
  dir: { type: 'string' },
  'secret-file': { type: 'string' },
  'tls-mode': { type: 'string', default: 'required' },
  'monitor-port': { type: 'string', default: '0' },
  'monitor-host': { type: 'string', default: '0.0.0.0' },
  'start-within': { type: 'string', default: '1s' },
  'down-time': { type: 'string', default: '100ms' },
  loglevel: { type: 'string', default: 'info' },
  'jwt-file': { type: 'string' },
  ca: { type: 'string' },
  'share-certificate': { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const mostNodes = 200_000;
const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies LogLevel[];

/**
 * @param args the arguments after the program's name
 * @param hostName the machine's, the identity of a single node
 * @returns undefined where --help was asked for
 * @throws FlagError
 */
export function parseFlags(args: readonly string[], hostName: string): MockNodeConfig | undefined {
  const { values, problems } = readFlags(args);
  if (values.help === true) return undefined;
  const refuse = (flag: string, problem: string) => void problems.push(`--${flag} ${problem}`);

  /** Reads one flag; its default, which is right, stands in for one that is not. */
  const read = <T>(flag: string, fallback: T, parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      refuse(flag, error instanceof Error ? error.message : String(error));
      return fallback;
    }
  };
  const { listen, discovery } = values;
  const listenAt = read('listen', { host: '0.0.0.0', port: 0 }, () => parseHostPort(listen));
  if (discovery !== undefined) read('discovery', undefined, () => parseTarget(discovery));
  const nodes = read('nodes', 1, () => parseCount(values.nodes, mostNodes));
  const addressing = read('addresses', 'LOOPBACK', () => parseAddressing(values.addresses, nodes));
  const identities = read('identity', [], () => parseIdentities(values.identity, nodes, hostName));
  const monitorPort = read('monitor-port', 0, () => parsePort(values['monitor-port']));
  const logLevel = read('loglevel', 'info', () => parseLogLevel(values.loglevel));
  const startWithinMs = read('start-within', 0, () => parseSpan(values['start-within']));
  const downMs = read('down-time', 0, () => parseSpan(values['down-time']));
  const advertiseHost = values['advertise-host'];
  if (advertiseHost !== '') {
    read('advertise-host', undefined, () => parseHostPort(formatHostPort(advertiseHost, 1)));
    if (addressing === 'LOOPBACK') {
      refuse(
        'advertise-host',
        'does not go with --addresses loopback, where each node has a host of its own',
      );
    }
  }
  if (addressing === 'LOOPBACK' && listenAt.host !== '0.0.0.0') {
    refuse(
      'listen',
      `${listen}: with --addresses loopback it must be 0.0.0.0, which covers every node's address`,
    );
  }
  if (addressing === 'PORTS' && listenAt.port !== 0 && listenAt.port + nodes - 1 > 65_535) {
    refuse('nodes', `${nodes}: there are not so many ports from ${listenAt.port} on`);
  }
  const tls = read('tls-mode', true, () => parseTlsMode(values['tls-mode']));
  const pathOf = (flag: 'dir' | 'jwt-file' | 'secret-file' | 'ca') => {
    const path = values[flag];
    if (path === '') refuse(flag, 'needs a path');
    return path === undefined ? undefined : resolve(path);
  };
  const directory = pathOf('dir');
  const tokenFile = pathOf('jwt-file');
  const secretFile = pathOf('secret-file');
  const caFile = pathOf('ca');
  if (problems.length > 0) throw new FlagError(problems.join('\n'));
  return {
    listen,
    discovery,
    identities,
    addressing,
    advertiseHost,
    directory,
    tls,
    shareCertificate: values['share-certificate'] ?? false,
    caFile,
    tokenFile,
    secretFile,
    monitorHost: values['monitor-host'],
    monitorPort,
    startWithinMs,
    downMs,
    logLevel,
  };
}

/** Takes the command line apart. The last of a flag that is given twice counts. */
function readFlags(args: readonly string[]) {
  const problems: string[] = [];
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const known: string[] = [];
  let afterUnknown = -1;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      // What follows a flag that does not exist was meant as its value.
      if (token.index !== afterUnknown) problems.push(`${token.value}: nothing but flags is expected`);
    } else if (token.kind === 'option' && !Object.hasOwn(options, token.name)) {
      afterUnknown = token.index + 1;
      problems.push(`${token.rawName}: there is no such flag${suggestFlag(token.name)}`);
    } else if (token.kind === 'option' && isSwitch(token.name)) {
      if (token.inlineValue === true) problems.push(`${token.rawName} takes no value`);
      known.push(`--${token.name}`);
    } else if (token.kind === 'option') {
      const separate = token.inlineValue === false && token.value.startsWith('--');
      if (token.value === undefined || separate) problems.push(`${token.rawName} needs a value`);
      else known.push(`--${token.name}=${token.value}`);
    }
  }
  return { values: parseArgs({ args: known, options }).values, problems };
}

function isSwitch(name: string): boolean {
  return name === 'help' || name === 'share-certificate';
}

function suggestFlag(name: string): string {
  return suggestion(name, Object.keys(options)).replace('did you mean ', 'did you mean --');
}

function parseTarget(text: string): void {
  if (parseHostPort(text).port === 0) throw new Error(`${text}: port 0 cannot be dialled`);
}

function parseCount(text: string, most: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most) throw new Error(`${text}: expected a whole number from 1 to ${most}`);
  return count;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`${text}: expected a port, 0 to 65535`);
  return port;
}

function parseSpan(text: string): number {
  const ms = durationMs(text);
  if (ms < 0) throw new Error(`${text}: must not be negative`);
  return ms;
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (level === undefined) throw new Error(`${text}: expected one of ${logLevels.join(', ')}`);
  return level;
}

function parseAddressing(text: string, nodes: number): Addressing {
  if (text !== 'loopback' && text !== 'ports') {
    throw new Error(`${text}: expected loopback or ports${suggestion(text, ['loopback', 'ports'])}`);
  }
  if (nodes === 1) return 'SINGLE';
  if (text === 'ports') return 'PORTS';
  if (nodes > mostLoopbackNodes) throw new Error(`loopback: has no more than ${mostLoopbackNodes} addresses`);
  return 'LOOPBACK';
}

function parseIdentities(name: string | undefined, nodes: number, hostName: string): Identity[] {
  if (nodes === 1) {
    const identity = parseIdentity(name ?? hostName);
    if (identity !== undefined) return [identity];
    if (name !== undefined) throw new Error(`${name}: ${identityRule}`);
    throw new Error(
      `must be given: the host name ${JSON.stringify(hostName)} is no identity (${identityRule})`,
    );
  }
  const base = name ?? 'node.swarm.local';
  return Array.from({ length: nodes }, (_, index) => {
    const identity = identityOf(base, index);
    if (identity === undefined) throw new Error(`${base}: ${identityRule}, also with a number in it`);
    return identity;
  });
}

const identityRule =
  'expected 1 to 253 of a-z, 0-9, ".", "_" and "-", first a letter or digit, and no dot at the end';

function parseTlsMode(mode: string): boolean {
  if (mode === 'required') return true;
  if (mode === 'insecure') return false;
  const modes = ['required', 'insecure'];
  throw new Error(`${mode}: expected ${modes.join(' or ')}${suggestion(mode, modes)}`);
}

/** @returns what whoever starts nodes in this way should know */
export function warningsOf({ tls, shareCertificate, caFile, ...config }: MockNodeConfig): string[] {
  const warnings: string[] = [];
  if (!tls) {
    warnings.push(
      '--tls-mode is insecure: nothing is encrypted and no peer is authenticated; tokens and proofs protect nothing, ' +
        'and whoever reaches these ports can read and change what is sent',
    );
    const idle = [
      ...(caFile === undefined ? [] : ['--ca']),
      ...(shareCertificate ? ['--share-certificate'] : []),
    ];
    if (idle.length > 0) warnings.push(`${idle.join(', ')}: without effect while --tls-mode is insecure`);
  }
  if (config.tokenFile === undefined && config.secretFile === undefined) {
    warnings.push('neither --jwt-file nor --secret-file: any proof is accepted, whoever calls');
  }
  return warnings;
}
