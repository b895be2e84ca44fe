// The images and docker-compose.yml as a user gets them: build, bring up, stop and start, tear down.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../cli/launch/until.js';
import { ComposeProject, type ComposeService, findCompose } from './compose.js';

const command = findCompose();
if (command === undefined) {
  process.stderr.write('No Docker engine with Compose answers: the container tests are skipped.\n');
}

const nodes = 5;
const minute = 60_000;

describe.skipIf(command === undefined)('docker-compose.yml', () => {
  const project = new ComposeProject(command ?? [], `slipway-test-${process.pid}`);

  beforeAll(async () => {
    await project.compose('build');
  }, 10 * minute);

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    process.stderr.write(await project.compose('logs', '--no-color', '--tail=50'));
  });

  afterAll(async () => {
    await project.compose('down', '--volumes', '--remove-orphans');
  }, 2 * minute);

  test('brings up services that become healthy and nodes that are all confirmed', async () => {
    await project.compose('up', '--detach');
    await untilHealthy('discovery');
    await untilHealthy('provisioner');
    await untilHealthy('nodes');
    await untilConfirmed(nodes);
  });

  test('every process is that of an ordinary user', async () => {
    for (const service of ['discovery', 'provisioner', 'nodes'] as const) {
      expect(await project.inspect(service, '{{.Config.User}}')).toBe('node');
    }
  });

  test('each container holds what it needs, keys for its user alone, and nothing of the others', async () => {
    expect(await trustOf('discovery')).toEqual([
      'ca.pem 644',
      'discovery-key.pem 600',
      'discovery.pem 644',
      'site.public 644',
    ]);
    expect(await trustOf('provisioner')).toEqual([
      'ca.pem 644',
      'provisioner-key.pem 600',
      'provisioner.pem 644',
      'provisioning.jwt.secret 600',
      'site.public 644',
      'site.seed 600',
    ]);
    expect(await trustOf('nodes')).toEqual(['provisioning.jwt 600']);
  });

  test('nodes have a token that the site has signed, as the command in the image says', async () => {
    const read = (service: ComposeService, path: string) =>
      project.compose('exec', '-T', service, 'cat', path).then((text) => text.trim());
    const key = await read('provisioner', '/etc/slipway/trust/site.public');
    const token = '/var/lib/slipway/node-00003.swarm.local/server.jwt';
    const verified = await project.compose(
      'exec',
      '-T',
      'nodes',
      'slipway',
      'token',
      'verify',
      token,
      '--key',
      key,
    );
    expect(verified).toContain('valid: a server token of node-00003.swarm.local');
  });

  test('discovery stops cleanly, starts again, and new nodes are confirmed', async () => {
    await restart('discovery');
    await freshNodes();
    await untilConfirmed(2 * nodes);
  });

  test('the provisioner stops cleanly, starts again, and new nodes are confirmed', async () => {
    await restart('provisioner');
    await freshNodes();
    await untilConfirmed(nodes);
  });

  test('the nodes stop cleanly, and come up as they were configured', async () => {
    const before = await runs();
    await restart('nodes');
    await untilConfigured();
    expect(await runs()).toBe(before);
  });

  /** What a container is given to trust: names and modes. */
  async function trustOf(service: ComposeService): Promise<string[]> {
    const find = ['find', '/etc/slipway/trust', '-type', 'f', '-user', 'node', '-printf', '%f %m\\n'];
    return (await project.compose('exec', '-T', service, ...find)).trim().split('\n').sort();
  }

  /** Stops a service, sees that it ended well and within its grace, and starts it again. */
  async function restart(service: ComposeService): Promise<void> {
    await project.compose('stop', service);
    expect(await project.inspect(service, '{{.State.Status}} {{.State.ExitCode}}')).toBe('exited 0');
    await project.compose('start', service);
    await untilHealthy(service);
  }

  /** Replaces the nodes by ones that were never configured. */
  async function freshNodes(): Promise<void> {
    await project.compose('up', '--detach', '--force-recreate', '--no-deps', 'nodes');
  }

  async function untilHealthy(service: ComposeService): Promise<void> {
    await until(async () => (await project.inspect(service, '{{.State.Health.Status}}')) === 'healthy', {
      what: `${service} healthy`,
      timeoutMs: 2 * minute,
      everyMs: 500,
    });
  }

  /** Until the provisioner has counted so many since its start, and every node says that it is configured. */
  async function untilConfirmed(count: number): Promise<void> {
    await until(
      async () =>
        (await project.metrics('provisioner'))?.sum('slipway_provisioner_confirmed_total') === count,
      { what: `${count} nodes confirmed`, timeoutMs: 3 * minute, everyMs: 500 },
    );
    await untilConfigured();
  }

  async function untilConfigured(): Promise<void> {
    const labels = { mode: 'configured' };
    await until(
      async () => (await project.metrics('nodes'))?.sum('slipway_mock_node_nodes', labels) === nodes,
      { what: `${nodes} nodes configured`, timeoutMs: 2 * minute, everyMs: 500 },
    );
  }

  async function runs(): Promise<number | undefined> {
    return (await project.metrics('provisioner'))?.sum('slipway_provisioner_runs_total');
  }
});
