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
