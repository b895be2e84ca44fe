import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultRolePatterns } from '../../shared/tls/roles.js';
import { loadDiscoveryConfig } from './config.js';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'discovery-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function load(yaml: string, env: NodeJS.ProcessEnv = {}) {
  const file = join(folder, 'discovery.yaml');
  writeFileSync(file, yaml);
  return loadDiscoveryConfig({ file, env });
}

test('the defaults are those of the manual', () => {
  const { config, warnings } = load('tls: {mode: insecure}');
  expect(config).toEqual({
    site: 'default',
    loglevel: 'info',
    logfile: 'stdout',
    listen: '0.0.0.0:7412',
    listen_nodes: '0.0.0.0:7410',
    monitor_host: '0.0.0.0',
    monitor_port: 7411,
    tls: { mode: 'insecure', roles: defaultRolePatterns },
    shutdown_grace: 20_000,
    interval: 60_000,
    report_interval: 10_000,
    max_reports_per_second: 500,
    max_nodes: 200_000,
    max_nodes_per_source: 0,
    max_reports_per_source: 0,
    event_ring: 100_000,
    provisioned_retention: 600_000,
    targets: [],
    probe_timeout: 2000,
    probe_concurrency: 64,
    trust_advertised_host: false,
    node_networks: [],
  });
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).toMatch(/tls\.mode is insecure.*provisioning tokens are not checked/);
});

test('targets are addresses, or files beside the configuration', () => {
  const { config } = load('tls: {mode: insecure}\ntargets: ["10.0.0.1:7430", "nodes.txt", "/etc/nodes"]');
  expect(config.targets).toEqual(['10.0.0.1:7430', join(folder, 'nodes.txt'), '/etc/nodes']);
});

test('every problem is told at once, with its path', () => {
  const yaml = [
    'intervall: 1m',
    'interval: 10ms',
    'listen_nodes: nowhere',
    'max_nodes: 0',
    'node_networks: [10.0.0.0/99]',
    'jwt_verify_cert: [a, b]',
  ].join('\n');
  const expected = [
    /tls\.mode: TLS needs a certificate/,
    /intervall: .*interval/,
    /interval: expected a duration of at least 1s/,
    /listen_nodes: .*no port/,
    /max_nodes: expected a whole number of at least 1/,
    /node_networks\[0\]: .*10\.0\.0\.0\/99/,
    /jwt_verify_cert: expected the path of a key file, or 64 hex digits/,
  ];
  for (const pattern of expected) expect(() => load(yaml)).toThrow(pattern);
});

test('the key that tokens are verified with is a file beside the configuration, or is written there', () => {
  const tls = 'tls: {mode: insecure}\n';
  const hex = 'ab'.repeat(32);
  expect(load(`${tls}jwt_verify_cert: keys/site.pem`).config.jwt_verify_cert).toBe(
    join(folder, 'keys/site.pem'),
  );
  const { config, warnings } = load(`${tls}jwt_verify_cert: ${hex}`);
  expect(config.jwt_verify_cert).toBe(hex);
  expect(warnings.join()).not.toMatch(/tokens are not checked/);
});

test('the environment wins over the file', () => {
  const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_NODE_NETWORKS: '10.0.0.0/8,127.0.0.0/8' };
  expect(load('node_networks: []', env).config.node_networks).toEqual(['10.0.0.0/8', '127.0.0.0/8']);
});
