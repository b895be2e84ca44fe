// The provisioner's settings (design, section 11): what there is, what each means, and its default.

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
  verificationKey,
  wholeNumber,
} from '../../shared/config/fields.js';
import { type ConfigSource, type Loaded, loadConfig } from '../../shared/config/load.js';
import { rule } from '../../shared/config/rule.js';
import { formatDuration } from '../../shared/durations.js';
import type { Secret } from '../../shared/secret.js';
import { DenyListError, parseDenyList } from './enrolment/deny-list.js';
import { CommandError, parseHelperCommand } from './helper/command.js';
import { readTokenFile, TokenFileError } from './token-file.js';

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
  /** For each attempt of UpdateRelease. */
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
  /** A process for each node, or helper_concurrency long-lived ones that answer line by line. */
  helper_mode: enumOf(['exec', 'persistent']).default('exec'),
  helper_timeout: duration({ min: '10ms' }).prefault('10s'),
  /** Helpers that run at once; default: twice the cores. */
  helper_concurrency: wholeNumber(1).default(2 * availableParallelism()),
  /** Failures of the helper in a row, whatever the nodes, at which no run starts but probes. */
  helper_breaker: wholeNumber(1, 1_000_000).default(20),
  /** The provisioning secret; a list while it is being changed, newest first. */
  token: oneOrList(secret()).optional(),
  /** A file of the same, one a line. */
  token_file: path().optional(),
  /** The key that provisioning tokens are verified with: a file, or an ed25519 public key in hex. */
  jwt_verify_cert: verificationKey().optional(),
  /** The file of the key that server tokens are signed with. */
  jwt_signing_key: path().optional(),
  /** The file of the token that the signing key got from the organisation, where it did not sign itself. */
  jwt_signing_token: path().optional(),
  /** How long a server token is valid where the helper does not say. */
  server_jwt_validity: duration({ min: '1m' }).prefault('1y'),
  /** Names that no certificate may be requested for, in RE2 syntax; default: those of Choria's own users. */
  cert_deny_list: listOf(z.string()).superRefine(checkDenyList).optional(),
  features: z
    .object({
      /** Nodes show a provisioning token. */
      jwt: flag().default(false),
      /** Nodes get an ed25519 key and a server token. Turns jwt on. */
      ed25519: flag().default(false),
      /** Nodes get a certificate from the helper. */
      pki: flag().default(false),
      /** Nodes change to the release that the helper wants before they are configured. */
      upgrades: flag().default(false),
    })
    .prefault({}),
  /** Where nodes get releases from; goes to them as it is. Without it every upgrade is refused. */
  upgrades_repository: text('a URL, on one line', /^[^\r\n]+$/).optional(),
  /** A node whose release is not replaced is configured all the same. */
  upgrades_optional: flag().default(false),
  leader_election: later(false, 'leader election'),
  /** Where the provisioner keeps its state. */
  data_dir: path().default('/var/lib/slipway'),
  events: z
    .object({
      /** Events that the log keeps at most. */
      max_count: wholeNumber(1_000).default(1_000_000),
      /** How long the log keeps events. */
      max_age: duration({ min: '1m' }).prefault('7d'),
    })
    .prefault({}),
};

type Features = Readonly<{ features: { jwt: boolean; ed25519: boolean; pki: boolean } }>;

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
  rule<Features>(['features.pki', 'features.ed25519'], ({ features }) =>
    features.pki && features.ed25519
      ? 'excludes features.ed25519: a node has either a certificate or an ed25519 key; turn one of them off'
      : undefined,
  ),
  rule<Features & { readonly jwt_verify_cert?: unknown }>(
    ['jwt_verify_cert', 'features.jwt', 'features.ed25519'],
    ({ features, jwt_verify_cert: key }) => {
      if (key !== undefined || !needsTokens(features)) return undefined;
      const feature = features.jwt ? 'features.jwt' : 'features.ed25519, which turns features.jwt on,';
      return `is required: ${feature} needs the key that provisioning tokens are verified with`;
    },
  ),
  rule<Features & { readonly jwt_signing_key?: unknown }>(
    ['jwt_signing_key', 'features.ed25519'],
    ({ features, jwt_signing_key: key }) =>
      features.ed25519 && key === undefined
        ? 'is required: features.ed25519 needs the key that server tokens are signed with'
        : undefined,
  ),
);

function needsTokens({ jwt, ed25519 }: Features['features']): boolean {
  return jwt || ed25519;
}

/** A pattern that does not compile would deny nothing. */
function checkDenyList(patterns: readonly string[], context: z.RefinementCtx): void {
  try {
    parseDenyList(patterns);
  } catch (error) {
    if (!(error instanceof DenyListError)) throw error;
    for (const { index, message } of error.problems) {
      context.addIssue({ code: 'custom', path: [index], message });
    }
  }
}

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
  const features = { ...settings.features, jwt: needsTokens(settings.features) };
  const config = { ...settings, features, tokens: tokensOf(settings) };
  return { config, warnings: [...warnings, ...warningsAbout(config)] };
}

function tokensOf({ token, token_file: file }: Settings): readonly Secret[] {
  if (file === undefined) return token ?? [];
  try {
    return readTokenFile(file);
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    const problem = { path: 'token_file', message: error.message };
    throw new ConfigError('the configuration of provisioner', [problem], { cause: error });
  }
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
  if (pki && !jwt) {
    warnings.push(
      'features.pki is on and features.jwt is off: no node shows a token to this provisioner before it gets a ' +
        'certificate in its name; turn features.jwt on',
    );
  }
  if (config.tokens.length === 0) {
    warnings.push('token is not set: nodes that hold a provisioning secret will refuse this provisioner');
  }
  const withoutEffect = (setting: string, feature: string) =>
    warnings.push(`${setting} has no effect: features.${feature} is off`);
  if (config.jwt_verify_cert !== undefined && !jwt) withoutEffect('jwt_verify_cert', 'jwt');
  if (config.jwt_signing_key !== undefined && !ed25519) withoutEffect('jwt_signing_key', 'ed25519');
  if (config.jwt_signing_token !== undefined && !ed25519) withoutEffect('jwt_signing_token', 'ed25519');
  if (config.cert_deny_list !== undefined && !pki) withoutEffect('cert_deny_list', 'pki');
  if (config.upgrades_repository !== undefined && !upgrades) withoutEffect('upgrades_repository', 'upgrades');
  if (config.upgrades_optional && !upgrades) withoutEffect('upgrades_optional', 'upgrades');
  if (upgrades && config.upgrades_repository === undefined) {
    warnings.push(
      `features.upgrades is on and upgrades_repository is not set: every upgrade that the helper wants is refused${config.upgrades_optional ? ', and nodes are configured with the release that they have' : ''}; ` +
        'set upgrades_repository to where nodes get releases from',
    );
  }
  return warnings;
}
