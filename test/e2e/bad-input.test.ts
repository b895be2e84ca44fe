import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { entryPoint, type ServiceName } from '../../cli/launch/project.js';
import { until } from '../../cli/launch/until.js';
import { untilConfirmed } from './confirmed.js';
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
  const { status, stderr } = spawnSync(
    process.execPath,
    [entryPoint('discovery'), '--config', '/nowhere/x.yaml'],
    {
      encoding: 'utf8',
    },
  );
  expect(status).toBe(2);
  expect(stderr).toContain('/nowhere/x.yaml');
});

test('a port in use is named, and the service exits with 1', async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void holder.close());
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('a listener without a port');
  const { status, stderr, stdout } = runWith('discovery', {
    text: `tls: { mode: insecure }\nlisten_nodes: 127.0.0.1:${address.port}\nlisten: 127.0.0.1:0\nmonitor_port: 0\n`,
  });
  expect(status).toBe(1);
  expect(stderr + stdout).toContain(`127.0.0.1:${address.port}`);
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
  return spawnSync(process.execPath, [entryPoint(service), '--config', file], {
    encoding: 'utf8',
    timeout: 20_000,
  });
}
