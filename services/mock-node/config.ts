// What the mock node is told on its command line, and what is said about flags that cannot be: all problems at once.
// Which flags there are is flags.ts's matter.

import { resolve } from 'node:path';
import { misplacedContent } from '../../shared/config/misplaced.js';
import { suggestion } from '../../shared/config/nearest.js';
import { durationMs } from '../../shared/durations.js';
import { type Identity, parseIdentity } from '../../shared/identity.js';
import type { LogLevel } from '../../shared/logger.js';
import { formatHostPort, parseHostPort } from '../../shared/net/addresses.js';
import { findVersionProblem } from './agent/release.js';
import type { Fault } from './faults/fault.js';
import { parseFaults } from './faults/parse.js';
import { readFlags } from './flags.js';
import { type Part, personasOf } from './personas/assignment.js';
import { parseWeights } from './personas/weights.js';
import type { Addressing } from './swarm/listeners.js';
import { identityOf, mostLoopbackNodes } from './swarm/names.js';

export interface MockNodeConfig {
  /** host:port. */
  readonly listen: string;
  /** host:port of discovery's listener for nodes; undefined: the nodes do not report. */
  readonly discovery: string | undefined;
  /** One for each node. */
  readonly identities: readonly Identity[];
  /** What each node plays; undefined: all are healthy. */
  readonly personas: readonly Part[] | undefined;
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
  /** What nodes are made with; undefined: the release of this program. */
  readonly release: string | undefined;
  /** Whether nodes replace their release. */
  readonly upgradable: boolean;
  /** How long replacing it takes. */
  readonly upgradeTimeMs: number;
  /** What befalls calls to the nodes, beside what the file orders. */
  readonly faults: readonly Fault[];
  /** Absolute. */
  readonly faultFile: string | undefined;
  readonly logLevel: LogLevel;
}

/** The command line cannot be used; the message has a line for each problem. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

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
  const personas = read('personas', undefined, () => parsePersonas(values.personas, values.identity, nodes));
  const identities =
    values.personas === undefined
      ? read('identity', [], () => parseIdentities(values.identity, nodes, hostName))
      : (personas ?? []).map(({ identity }) => identity);
  const monitorPort = read('monitor-port', 0, () => parsePort(values['monitor-port']));
  const logLevel = read('loglevel', 'info', () => parseLogLevel(values.loglevel));
  const startWithinMs = read('start-within', 0, () => parseSpan(values['start-within']));
  const downMs = read('down-time', 0, () => parseSpan(values['down-time']));
  const release = read('release', undefined, () => parseRelease(values.release));
  const upgradable = read('upgradable', true, () => parseYesOrNo(values.upgradable));
  const upgradeTimeMs = read('upgrade-time', 0, () => parseSpan(values['upgrade-time']));
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
  const pathOf = (flag: 'dir' | 'jwt-file' | 'secret-file' | 'ca' | 'fault-file') => {
    const path = values[flag];
    if (path === '') refuse(flag, 'needs a path');
    if (path === undefined) return undefined;
    const content = misplacedContent(resolve(path));
    if (content !== undefined) refuse(flag, `needs a path, and got ${content}`);
    return resolve(path);
  };
  const directory = pathOf('dir');
  const tokenFile = pathOf('jwt-file');
  const secretFile = pathOf('secret-file');
  const caFile = pathOf('ca');
  const faultFile = pathOf('fault-file');
  const ordered = (values.fault ?? []).map(parseFaults);
  for (const problem of ordered.flatMap(({ problems: each }) => each)) refuse('fault', problem);
  if (problems.length > 0) throw new FlagError(problems.join('\n'));
  return {
    listen,
    discovery,
    identities,
    personas,
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
    release,
    upgradable,
    upgradeTimeMs,
    faults: ordered.flatMap(({ faults }) => faults),
    faultFile,
    logLevel,
  };
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

function parseRelease(version: string | undefined): string | undefined {
  const problem = version === undefined ? undefined : findVersionProblem(version);
  if (problem !== undefined) throw new Error(`${JSON.stringify(version)}: ${problem}`);
  return version;
}

function parseYesOrNo(text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new Error(`${text}: expected yes or no`);
  return text === 'yes';
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
  const base = name ?? swarmName;
  return Array.from({ length: nodes }, (_, index) => {
    const identity = identityOf(base, index);
    if (identity === undefined) throw new Error(`${base}: ${identityRule}, also with a number in it`);
    return identity;
  });
}

/** Names are numbered, and carry the persona, also of a single node. */
function parsePersonas(text: string | undefined, name: string | undefined, nodes: number) {
  return text === undefined ? undefined : personasOf(nodes, parseWeights(text), name ?? swarmName);
}

const swarmName = 'node.swarm.local';

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
