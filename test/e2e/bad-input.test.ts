import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { entryPoint, type ServiceName } from '../../cli/launch/project.js';
import { until } from '../../cli/launch/until.js';
import { untilConfirmed } from './confirmed.js';
import { listenAnywhere } from './listen.js';
import { prepareStack, testHelper } from './workspace.js';

test('a configuration with mistakes names every one of them, with the nearest key, and exits with 2', () => {
  const { status, stderr } = runWith('provisioner', {
    text: [
      'tls: { mode: insecure }',
      'discovery: 127.0.0.1:7412',
      'helper: sh helper.sh',
      'wokers: 12',
      'hold: 60',
      'features: { jtw: true }',
    ].join('\n'),
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/wokers.*workers/);
  expect(stderr).toMatch(/hold.*60/);
  expect(stderr).toMatch(/features\.jtw.*jwt/);
});

test('a capability that this version lacks is refused at start', () => {
  const { status, stderr } = runWith('provisioner', {
    text: 'discovery: [127.0.0.1:7412]\nhelper: sh x\nfeatures: { jwt: true }\nleader_election: true\n',
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/features\.jwt/);
  expect(stderr).toMatch(/leader_election/);
  expect(stderr).toMatch(/tls\.mode.*insecure/);
});

test('a configuration file that is not there is named', () => {
  const { status, stderr } = runService('discovery', ['--config', '/nowhere/x.yaml']);
  expect(status).toBe(2);
  expect(stderr).toContain('/nowhere/x.yaml');
});

describe('a port in use is named, and the service exits with 1', () => {
  const insecure = 'tls: { mode: insecure }\nmonitor_port: 0\n';

  test('discovery', async () => {
    const port = await listenAnywhere(createServer(), '127.0.0.1');
    const text = `${insecure}listen_nodes: 127.0.0.1:${port}\nlisten: 127.0.0.1:0\n`;
    expectRefusedPort(runWith('discovery', { text }), `127.0.0.1:${port}`);
  });

  test('provisioner', async () => {
    const port = await listenAnywhere(createServer(), '127.0.0.1');
    const text = `${insecure}listen: 127.0.0.1:${port}\ndiscovery: [127.0.0.1:7412]\nhelper: sh\ndata_dir: data\n`;
    expectRefusedPort(runWith('provisioner', { text }), `127.0.0.1:${port}`);
  });

  test('mock node', async () => {
    const port = await listenAnywhere(createServer(), '127.0.0.1');
    const flags = ['--tls-mode', 'insecure', '--identity', 'web-1', '--listen', `127.0.0.1:${port}`];
    expectRefusedPort(runService('mock-node', flags), `127.0.0.1:${port}`);
  });

  function expectRefusedPort({ status, stderr }: ReturnType<typeof runService>, address: string): void {
    expect(status).toBe(1);
    expect(stderr).toContain(address);
  }
});

test('an unreachable discovery: not ready and says why, then goes on when discovery is there', async () => {
  const stack = await prepareStack({ nodes: 3, helper: testHelper('stamped.sh') });
  await stack.start('provisioner', { untilReady: false });
  const why = await until(
    async () => {
      const response = await fetch(`http://127.0.0.1:${stack.ports.provisionerMonitor}/readyz`).catch(
        () => undefined,
      );
      return response?.status === 503 ? response.text() : undefined;
    },
    { what: 'the provisioner says that it is not ready', timeoutMs: 15_000 },
  );
  expect(why).toContain(`127.0.0.1:${stack.ports.consumers}`);
  await stack.start('discovery');
  await stack.start('mock-node');
  await untilConfirmed(stack, 3, 60_000);
  const lines = readFileSync(stack.logFile('provisioner'), 'utf8').split('\n');
  expect(lines.length).toBeLessThan(60);
});

function runWith(service: ServiceName, config: { text: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'config.yaml');
  writeFileSync(file, config.text);
  return runService(service, ['--config', file]);
}

function runService(service: ServiceName, args: readonly string[]) {
  return spawnSync(process.execPath, [entryPoint(service), ...args], { encoding: 'utf8', timeout: 20_000 });
}
