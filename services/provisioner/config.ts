// The provisioner's settings (design, section 11): what there is, what each means, and its default.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { commonFields, insecureWarnings } from '../../shared/config/common.js';
import { ConfigError } from '../../shared/config/config-error.js';
import {
  duration,
  enumOf,
  flag,
  hostPort,
  later,
  listOf,
  network,
  oneOrList,
  path,
  secret,
  text,
  wholeNumber,
} from '../../shared/config/fields.js';
import { type ConfigSource, type Loaded, loadConfig } from '../../shared/config/load.js';
import { rule } from '../../shared/config/rule.js';
import { formatDuration } from '../../shared/durations.js';
import { Secret } from '../../shared/secret.js';
import { CommandError, parseHelperCommand } from './helper/command.js';

const fields = {
  ...commonFields({ listen: '0.0.0.0:7420', monitorPort: 7421 }),
  /** The discovery services to watch, host:port each. */
  discovery: oneOrList(hostPort()),
  /** Components whose nodes are provisioned. */
  lifecycle_component: oneOrList(text('a component')).default(['provision_mode_server']),
  /** Live nodes are sighted once in it; discovery's own counts where it is longer. */
  interval: duration({ min: '1s' }).prefault('1m'),
  /** Runs that go on at once. */
  workers: wholeNumber(1).default(64),
  /** Hosts that wait at most. */
  queue_limit: wholeNumber(1).default(50_000),
  /** How long a host stays known after it was provisioned or shut down. */
  hold: duration().prefault('60s'),
  /** The longest that a host backs off after failures. */
  backoff_max: duration({ min: '1s' }).prefault('30m'),
  /** How long a node may take to confirm its configuration; default: twice the interval, at least 60s. */
  confirm_timeout: duration({ min: '1s' }).optional(),
  /** How long a run may take. */
  run_timeout: duration().prefault('10m'),
  /** For each attempt of an RPC to a node, but for Identify and UpdateRelease. */
  rpc_timeout: duration({ min: '10ms' }).prefault('10s'),
  identify_timeout: duration({ min: '10ms' }).prefault('2s'),
  upgrade_timeout: duration({ min: '1s' }).prefault('2m'),
  /** The node's restart comes within it. */
  restart_splay: duration({ max: '1h' }).prefault('1s'),
  /** Bytes of inventory that are taken. */
  max_inventory: wholeNumber(1024).default(4_194_304),
  /** Networks in which nodes are dialled; empty for all but loopback. */
  node_networks: listOf(network()).default([]),
  /** The site's program, with its arguments. */
  helper: text('a command').transform((command, context) => {
    try {
      return parseHelperCommand(command);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      context.addIssue({ code: 'custom', message: `expected a command: ${error.message}` });
      return z.NEVER;
    }
  }),
  helper_mode: enumOf(['exec', 'persistent'])
    .refine((mode) => mode === 'exec', {
      error: 'persistent is not available in this version; leave it out, or "exec"',
    })
    .default('exec'),
  helper_timeout: duration({ min: '10ms' }).prefault('10s'),
  /** Helpers that run at once; default: twice the cores. */
  helper_concurrency: wholeNumber(1).default(2 * availableParallelism()),
  helper_breaker: later(20, 'a breaker for helpers that fail for every node'),
  /** The provisioning secret; a list while it is being changed, newest first. */
  token: oneOrList(secret()).optional(),
  /** A file of the same, one a line. */
  token_file: path().optional(),
  jwt_verify_cert: later(undefined, 'checking provisioning tokens'),
  jwt_signing_key: later(undefined, 'signing server tokens'),
  jwt_signing_token: later(undefined, 'signing server tokens'),
  server_jwt_validity: duration({ min: '1m' }).prefault('1y'),
  cert_deny_list: listOf(text('a regular expression')).optional(),
  features: z
    .object({
      jwt: later(false, 'fetching and checking provisioning tokens'),
      ed25519: later(false, 'ed25519 keys and server tokens'),
      pki: later(false, 'checking certificate signing requests'),
      upgrades: later(false, 'upgrading nodes'),
    })
    .prefault({}),
  upgrades_repository: text('a URL').optional(),
  upgrades_optional: flag().default(false),
  leader_election: later(false, 'leader election'),
  /** Where the provisioner keeps its state. */
  data_dir: path().default('/var/lib/slipway'),
  events: z
    .object({
      max_count: later(1_000_000, 'the event log'),
      max_age: later('7d', 'the event log'),
    })
    .prefault({}),
};

export const provisionerSchema = z.object(fields).check(
  rule<Readonly<{ run_timeout: number; upgrade_timeout: number }>>(
    ['run_timeout', 'upgrade_timeout'],
    ({ run_timeout, upgrade_timeout }) => {
      const least = 3 * upgrade_timeout + 120_000;
      if (run_timeout >= least) return undefined;
      return `expected at least 3 × upgrade_timeout + 2m, which is ${formatDuration(least)}, got ${formatDuration(run_timeout)}`;
    },
  ),
  rule<Readonly<{ token?: unknown; token_file?: unknown }>>(['token', 'token_file'], (config) =>
    config.token !== undefined && config.token_file !== undefined
      ? 'expected one of token and token_file, got both'
      : undefined,
  ),
);

/** Settings of Choria Provisioner that have no meaning here. */
const originalKeys = [
  'broker_port',
  'broker_provisioning_password',
  'choria_insecure',
  'features.broker',
  'management',
  'rego_policy',
];

type Settings = Loaded<ReturnType<typeof loadSettings>['config']>['config'];

/** The settings, and the secrets from wherever they stand. */
export type ProvisionerConfig = Settings & {
  /** Provisioning secrets, newest first; empty where the site has none. */
  readonly tokens: readonly Secret[];
};

function loadSettings(source: ConfigSource) {
  return loadConfig({ schema: provisionerSchema, service: 'provisioner', source, originalKeys });
}

/**
 * Loads the provisioner's settings.
 *
 * @throws ConfigError with every problem
 */
export function loadProvisionerConfig(source: ConfigSource): Loaded<ProvisionerConfig> {
  const { config: settings, warnings } = loadSettings(source);
  const config = { ...settings, tokens: tokensOf(settings) };
  return { config, warnings: [...warnings, ...warningsAbout(config)] };
}

function tokensOf({ token, token_file: file }: Settings): readonly Secret[] {
  if (file === undefined) return token ?? [];
  const problem = (message: string, cause?: unknown) =>
    new ConfigError('the configuration of provisioner', [{ path: 'token_file', message }], { cause });
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw problem(`cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  const tokens = content
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (tokens.length === 0) throw problem(`${file} holds no token`);
  return tokens.map((value) => new Secret(value));
}

function warningsAbout(config: ProvisionerConfig): string[] {
  const warnings = insecureWarnings(config);
  const { jwt, ed25519, pki, upgrades } = config.features;
  if (!jwt && !ed25519 && !pki) {
    warnings.push(
      'features.jwt, features.ed25519 and features.pki are all off: WHOEVER CAN REPORT A NODE GETS IT CONFIGURED; ' +
        'keep everybody but the nodes away from the node listener of discovery',
    );
  }
  if (config.tokens.length === 0) {
    warnings.push('token is not set: nodes that hold a provisioning secret will refuse this provisioner');
  }
  if (config.cert_deny_list !== undefined && !pki) {
    warnings.push('cert_deny_list has no effect: features.pki is off');
  }
  if (config.upgrades_repository !== undefined && !upgrades) {
    warnings.push('upgrades_repository has no effect: features.upgrades is off');
  }
  return warnings;
}
