// The options of commands that ask a service: where it is, who asks, how long they wait. What the command line has not
// is taken from the environment.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { DurationError, durationMs } from '../../shared/durations.js';
import { AddressError, parseHostPort } from '../../shared/net/addresses.js';
import { UsageError } from '../command-error.js';
import type { Terminal } from '../terminal.js';

export type Peer = 'provisioner' | 'discovery';

/** As commander gives them. */
export interface ConnectionOptions {
  readonly provisioner?: string;
  readonly discovery?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly insecure?: true;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Where the service is, and how it is spoken to. */
export interface Target {
  readonly peer: Peer;
  /** host:port. */
  readonly address: string;
  /** Paths; undefined: without TLS. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string } | undefined;
  readonly timeoutMs: number;
}

/** Where a service is sought of which nobody has said where it is. */
export const usualAddress: Readonly<Record<Peer, string>> = {
  provisioner: '127.0.0.1:7420',
  discovery: '127.0.0.1:7412',
};

/** The variable that says where a service is. */
export const variable: Readonly<Record<Peer, string>> = {
  provisioner: 'SLIPWAY_PROVISIONER',
  discovery: 'SLIPWAY_DISCOVERY',
};

/** @param timeout how long the command waits by default */
export function addConnectionOptions(command: Command, peer: Peer, timeout = '10s'): Command {
  return command
    .optionsGroup('Connection:')
    .option(`--${peer} <HOST:PORT>`, `where it is (${variable[peer]}, or ${usualAddress[peer]})`)
    .option('--tls-cert <FILE>', 'your certificate, PEM (SLIPWAY_TLS_CERT)')
    .option('--tls-key <FILE>', 'its key, PEM (SLIPWAY_TLS_KEY)')
    .option('--tls-ca <FILE>', 'the CA of the site, PEM (SLIPWAY_TLS_CA)')
    .option('--insecure', 'speaks without TLS (SLIPWAY_TLS_MODE=insecure)')
    .addOption(
      new Option('--timeout <DURATION>', 'how long to wait for an answer')
        .argParser(parseTimeout)
        .default(durationMs(timeout), timeout),
    )
    .optionsGroup('Options:');
}

function parseTimeout(text: string): number {
  try {
    const ms = durationMs(text);
    if (ms > 0) return ms;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new InvalidArgumentError(`${error.message}.`);
  }
  throw new InvalidArgumentError('Expected a duration that is longer than nothing.');
}

/** @throws UsageError naming the option, or the variable, that is wrong or missing */
export function targetOf(peer: Peer, options: ConnectionOptions, { env }: Pick<Terminal, 'env'>): Target {
  return {
    peer,
    address: addressOf(peer, options[peer], env[variable[peer]]),
    tls: tlsOf(options, env),
    timeoutMs: options.timeout,
  };
}

function addressOf(peer: Peer, option: string | undefined, set: string | undefined): string {
  const address = option ?? (set?.trim() || usualAddress[peer]);
  const source = option === undefined ? variable[peer] : `--${peer}`;
  if (address.includes(',')) {
    throw new UsageError(`${source} names several services: choose one with --${peer} HOST:PORT`);
  }
  try {
    if (parseHostPort(address).port > 0) return address;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new UsageError(`${source}: ${error.message}`, { cause: error });
  }
  throw new UsageError(`${source}: ${address}: port 0 cannot be dialled`);
}

function tlsOf(options: ConnectionOptions, env: Terminal['env']): Target['tls'] {
  if (options.insecure === true) return undefined;
  const given = [options.tlsCert, options.tlsKey, options.tlsCa].some((path) => path !== undefined);
  if (!given && env.SLIPWAY_TLS_MODE === 'insecure') return undefined;
  const paths = {
    cert: options.tlsCert ?? env.SLIPWAY_TLS_CERT ?? '',
    key: options.tlsKey ?? env.SLIPWAY_TLS_KEY ?? '',
    ca: options.tlsCa ?? env.SLIPWAY_TLS_CA ?? '',
  };
  const missing = Object.entries(paths).flatMap(([name, path]) => (path === '' ? [`--tls-${name}`] : []));
  if (missing.length === 0) return paths;
  throw new UsageError(
    missing.length === 3
      ? 'who asks must show a certificate: give --tls-cert, --tls-key and --tls-ca (or SLIPWAY_TLS_CERT, SLIPWAY_TLS_KEY ' +
          'and SLIPWAY_TLS_CA); where the services run without TLS, --insecure'
      : `${missing.join(' and ')} must be given too (or ${missing.map(variableOf).join(' and ')})`,
  );
}

function variableOf(option: string): string {
  return `SLIPWAY_${option.slice(2).toUpperCase().replaceAll('-', '_')}`;
}
