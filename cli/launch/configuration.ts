// What the processes of a stack are told: configuration files and flags, from one set of options.

import { join } from 'node:path';
import type { Trust } from './trust.js';

export interface StackOptions {
  /** Folder for configuration, logs and state; made where it is missing. */
  readonly directory: string;
  readonly nodes: number;
  /** Command line of the helper. */
  readonly helper: string;
  /** Whether connections are encrypted and peers known. Default insecure. */
  readonly tls?: 'required' | 'insecure';
  /** What is checked of nodes and made for them. Default: tokens and keys where TLS is required, else nothing. */
  readonly features?: StackFeatures;
  /** Settings over the stack's own. */
  readonly discovery?: Readonly<Record<string, unknown>>;
  readonly provisioner?: Readonly<Record<string, unknown>>;
  /** Flags over the stack's own. */
  readonly swarm?: readonly string[];
}

/** As in the provisioner's settings. */
export interface StackFeatures {
  readonly jwt?: boolean;
  readonly ed25519?: boolean;
  readonly pki?: boolean;
}

export const portNames = [
  'nodes',
  'consumers',
  'discoveryMonitor',
  'provisioner',
  'provisionerMonitor',
  'swarm',
  'swarmMonitor',
] as const;

export type Ports = Readonly<Record<(typeof portNames)[number], number>>;

/** All that the configuration is made of. */
export interface Layout {
  readonly options: StackOptions;
  readonly ports: Ports;
  /** Defined where {@link needsTrust} says so. */
  readonly trust: Trust | undefined;
}

/** A certificate takes 3 ms to make: a swarm beyond this size shares one. */
const mostOwnCertificates = 500;

/** @returns whether certificates, keys and a token are called for */
export function needsTrust(options: StackOptions): boolean {
  return isEncrypted(options) || Object.values(featuresOf(options)).includes(true);
}

/** @returns where the nodes of a stack keep their state */
export function nodesDirectory(directory: string): string {
  return join(directory, 'nodes');
}

export function discoveryConfig({ options, ports, trust }: Layout): Record<string, unknown> {
  return {
    site: 'demo',
    listen: `127.0.0.1:${ports.consumers}`,
    listen_nodes: `127.0.0.1:${ports.nodes}`,
    monitor_host: '127.0.0.1',
    monitor_port: ports.discoveryMonitor,
    tls: tlsConfig('discovery', options, trust),
    ...(trust && checksTokens(options) && { jwt_verify_cert: trust.verificationKey }),
    trust_advertised_host: true,
    node_networks: ['127.0.0.0/8'],
    ...options.discovery,
  };
}

export function provisionerConfig({ options, ports, trust }: Layout): Record<string, unknown> {
  const features = featuresOf(options);
  return {
    site: 'demo',
    listen: `127.0.0.1:${ports.provisioner}`,
    monitor_host: '127.0.0.1',
    monitor_port: ports.provisionerMonitor,
    tls: tlsConfig('provisioner', options, trust),
    ...(trust && { token_file: trust.secret, features }),
    ...(trust && checksTokens(options) && { jwt_verify_cert: trust.verificationKey }),
    ...(trust && features.ed25519 && { jwt_signing_key: trust.signingKey }),
    discovery: [`127.0.0.1:${ports.consumers}`],
    node_networks: ['127.0.0.0/8'],
    helper: options.helper,
    data_dir: join(options.directory, 'provisioner-data'),
    ...options.provisioner,
  };
}

export function swarmFlags({ options, ports, trust }: Layout): string[] {
  const sharesCertificate = isEncrypted(options) && options.nodes > mostOwnCertificates;
  return [
    ...['--nodes', String(options.nodes)],
    ...['--listen', `0.0.0.0:${ports.swarm}`],
    ...['--addresses', 'loopback'],
    ...['--discovery', `127.0.0.1:${ports.nodes}`],
    ...['--dir', nodesDirectory(options.directory)],
    ...(isEncrypted(options) ? [] : ['--tls-mode', 'insecure']),
    ...(trust ? ['--jwt-file', trust.provisioningToken] : []),
    ...(sharesCertificate ? ['--share-certificate'] : []),
    ...['--monitor-host', '127.0.0.1'],
    ...['--monitor-port', String(ports.swarmMonitor)],
    ...(options.swarm ?? []),
  ];
}

function isEncrypted({ tls }: StackOptions): boolean {
  return tls === 'required';
}

function featuresOf(options: StackOptions): StackFeatures {
  return options.features ?? (isEncrypted(options) ? { jwt: true, ed25519: true } : {});
}

function checksTokens(options: StackOptions): boolean {
  const { jwt, ed25519 } = featuresOf(options);
  return jwt === true || ed25519 === true;
}

function tlsConfig(
  service: 'discovery' | 'provisioner',
  options: StackOptions,
  trust: Trust | undefined,
): object {
  if (trust === undefined || !isEncrypted(options)) return { mode: 'insecure' };
  return {
    cert: join(trust.certificates, `${service}.pem`),
    key: join(trust.certificates, `${service}-key.pem`),
    ca: join(trust.certificates, 'ca.pem'),
  };
}
