import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadProvisionerConfig } from './config.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const least = 'tls: {mode: insecure}\ndiscovery: [10.0.0.1:7412]\nhelper: /usr/bin/helper --site "a b"\n';

function load(yaml: string, env: NodeJS.ProcessEnv = {}) {
  const file = join(folder, 'provisioner.yaml');
  writeFileSync(file, yaml);
  return loadProvisionerConfig({ file, env });
}

function refusal(yaml: string, env: NodeJS.ProcessEnv = {}): string {
  try {
    load(yaml, env);
  } catch (error) {
    return String(error);
  }
  return 'it was taken';
}

describe("the provisioner's settings", () => {
  it('have the defaults of the design', () => {
    const { config } = load(least);
    expect(config).toMatchObject({
      site: 'default',
      listen: '0.0.0.0:7420',
      monitor_port: 7421,
      discovery: ['10.0.0.1:7412'],
      lifecycle_component: ['provision_mode_server'],
      interval: 60_000,
      workers: 64,
      queue_limit: 50_000,
      hold: 60_000,
      backoff_max: 1_800_000,
      run_timeout: 600_000,
      rpc_timeout: 10_000,
      identify_timeout: 2_000,
      upgrade_timeout: 120_000,
      restart_splay: 1_000,
      max_inventory: 4_194_304,
      node_networks: [],
      helper: ['/usr/bin/helper', '--site', 'a b'],
      helper_mode: 'exec',
      helper_timeout: 10_000,
      helper_concurrency: 2 * availableParallelism(),
      helper_breaker: 20,
      features: { jwt: false, ed25519: false, pki: false, upgrades: false },
      leader_election: false,
      data_dir: '/var/lib/slipway',
      shutdown_grace: 20_000,
      tokens: [],
    });
    expect(config.confirm_timeout).toBeUndefined();
  });

  it('take lists, or their only entry', () => {
    const { config } = load(`${least}lifecycle_component: agent\ntoken: [new, old]\n`, {
      SLIPWAY_DISCOVERY: '10.0.0.2:1,10.0.0.3:1',
    });
    expect(config.discovery).toEqual(['10.0.0.2:1', '10.0.0.3:1']);
    expect(config.lifecycle_component).toEqual(['agent']);
    expect(config.tokens.map((token) => token.reveal())).toEqual(['new', 'old']);
    expect(JSON.stringify(config)).not.toMatch(/"(new|old)"/);
    const fromEnv = load(least, { SLIPWAY_TOKEN: 's3cret' }).config;
    expect(fromEnv.tokens.map((token) => token.reveal())).toEqual(['s3cret']);
  });

  it('take tokens from a file beside them, trimmed', () => {
    writeFileSync(join(folder, 'token'), ' new \n\nold\n');
    const { config } = load(`${least}token_file: token\n`);
    expect(config.tokens.map((token) => token.reveal())).toEqual(['new', 'old']);
  });

  it('refuse what this version lacks', () => {
    expect(refusal(`${least}leader_election: true\n`)).toMatch(
      /leader_election: .*not available in this version/,
    );
  });

  it('have the helper started for each node, or kept', () => {
    expect(load(`${least}helper_mode: persistent\n`).config.helper_mode).toBe('persistent');
    expect(refusal(`${least}helper_mode: fork\n`)).toMatch(/helper_mode: expected one of exec, persistent/);
  });

  it('have features.jwt on where features.ed25519 is', () => {
    const { config } = load(
      `${least}features: {ed25519: true}\njwt_verify_cert: org\njwt_signing_key: key\n`,
    );
    expect(config.features).toEqual({ jwt: true, ed25519: true, pki: false, upgrades: false });
    expect(config.jwt_signing_key).toBe(join(folder, 'key'));
  });

  it('name every regular expression of the deny list that is none', () => {
    const message = refusal(`${least}features: {pki: true}\ncert_deny_list: ['ok', '(', '(?=x)']\n`);
    expect(message).toMatch(/cert_deny_list\[1\]: .*RE2/);
    expect(message).toMatch(/cert_deny_list\[2\]: .*RE2/);
    expect(message).not.toMatch(/cert_deny_list\[0\]/);
  });

  const mistakes: [string, string, RegExp][] = [
    ['no discovery', 'tls: {mode: insecure}\nhelper: h\n', /discovery: is required/],
    ['no helper', 'tls: {mode: insecure}\ndiscovery: [a:1]\n', /helper: is required/],
    [
      'a helper with an open quote',
      `${least.replace(/helper.*\n/, '')}helper: "h 'x"\n`,
      /helper: expected a command/,
    ],
    ['TLS, which is not there yet', 'discovery: [a:1]\nhelper: h\n', /tls\.mode: .*insecure/],
    ['no breaker', `${least}helper_breaker: 0\n`, /helper_breaker: .*from 1 to 1000000/],
    ['a typo', `${least}wokers: 3\n`, /wokers: unknown setting; did you mean workers\?/],
    [
      'a run that is too short for its upgrades',
      `${least}run_timeout: 7m\n`,
      /run_timeout: .*at least 3 × upgrade_timeout \+ 2m, which is 8m/,
    ],
    ['a token twice', `${least}token: a\ntoken_file: b\n`, /token: expected one of token and token_file/],
    ['a token file that is not there', `${least}token_file: b\n`, /token_file: .*b cannot be read/],
    ['a splay that nodes refuse', `${least}restart_splay: 2h\n`, /restart_splay: .*at most 1h/],
    [
      'tokens that nothing verifies',
      `${least}features: {jwt: true}\n`,
      /jwt_verify_cert: is required: features.jwt/,
    ],
    [
      'keys without what verifies their tokens',
      `${least}features: {ed25519: true}\njwt_signing_key: k\n`,
      /jwt_verify_cert: is required: features.ed25519, which turns features.jwt on/,
    ],
    [
      'keys without what signs for them',
      `${least}features: {ed25519: true}\njwt_verify_cert: k\n`,
      /jwt_signing_key: is required: features.ed25519/,
    ],
    [
      'both kinds of credentials at once',
      `${least}features: {ed25519: true, pki: true}\njwt_verify_cert: k\njwt_signing_key: k\n`,
      /features\.pki: excludes features\.ed25519/,
    ],
    [
      'a repository that no node would take',
      `${least}upgrades_repository: "http://a\\nb"\n`,
      /upgrades_repository: expected a URL, on one line/,
    ],
    ['a network that is none', `${least}node_networks: [x]\n`, /node_networks\[0\]/],
  ];
  for (const [name, yaml, message] of mistakes) {
    it(`refuse ${name}`, () => expect(refusal(yaml)).toMatch(message));
  }

  it('warn where certificates are given to nodes that show no token', () => {
    const pki = load(`${least}features: {pki: true}\n`).warnings.join('\n');
    const both = load(`${least}features: {pki: true, jwt: true}\njwt_verify_cert: k\n`).warnings.join('\n');
    expect([pki, both].map((text) => text.includes('features.jwt is off'))).toEqual([true, false]);
    expect(pki).not.toMatch(/are all off/);
  });

  it('turn upgrades on, and warn where there is nowhere to get releases from', () => {
    const { config, warnings } = load(
      `${least}features: {upgrades: true}\nupgrades_repository: https://repo\nupgrades_optional: true\n`,
    );
    expect(config).toMatchObject({
      features: { upgrades: true },
      upgrades_repository: 'https://repo',
      upgrades_optional: true,
    });
    expect(warnings.join('\n')).not.toMatch(/upgrades/);
    const without = load(`${least}features: {upgrades: true}\n`).warnings.join('\n');
    expect(without).toMatch(
      /upgrades_repository is not set: every upgrade .* is refused; set upgrades_repository/,
    );
    expect(without).not.toMatch(/the release that they have/);
    const optional = load(`${least}features: {upgrades: true}\nupgrades_optional: true\n`).warnings.join(
      '\n',
    );
    expect(optional).toMatch(/is refused, and nodes are configured with the release that they have; set/);
    expect(load(`${least}upgrades_optional: true\n`).warnings.join('\n')).toMatch(
      /upgrades_optional has no effect: features\.upgrades is off/,
    );
  });

  it('warn of what is unsafe, and of what has no effect', () => {
    const warnings = load(
      `${least}cert_deny_list: [x]\njwt_verify_cert: k\njwt_signing_key: k\njwt_signing_token: t\nupgrades_repository: https://repo\nchoria_insecure: true\n`,
    ).warnings;
    expect(warnings.join('\n')).toMatch(/tls\.mode is insecure/);
    expect(warnings.join('\n')).toMatch(/WHOEVER CAN REPORT A NODE GETS IT CONFIGURED/);
    expect(warnings.join('\n')).toMatch(/cert_deny_list has no effect/);
    expect(warnings.join('\n')).toMatch(/jwt_verify_cert has no effect/);
    expect(warnings.join('\n')).toMatch(/jwt_signing_key has no effect/);
    expect(warnings.join('\n')).toMatch(/jwt_signing_token has no effect/);
    expect(warnings.join('\n')).toMatch(/upgrades_repository has no effect/);
    expect(warnings.join('\n')).toMatch(/choria_insecure is a setting of Choria Provisioner/);
  });
});
