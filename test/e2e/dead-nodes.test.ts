import { expect, test } from 'vitest';
import { announce } from './announce.js';
import { droppingPort, silentPort } from './black-holes.js';
import { untilConfirmed } from './confirmed.js';
import { prepareStack, testHelper } from './workspace.js';

test('90 of 100 announced nodes are dead: the 10 live ones are provisioned within seconds', async () => {
  const stack = await prepareStack({ nodes: 10, helper: testHelper('stamped.sh') });
  await stack.start('discovery');
  await stack.start('provisioner');
  const ports = [1, await silentPort(), await droppingPort()];
  await announce(
    stack,
    Array.from({ length: 90 }, (_, index) => ({
      identity: `dead-${index}.example.net`,
      address: `127.9.0.${index + 1}:${ports[index % ports.length]}`,
    })),
  );
  const announced = performance.now();
  await stack.start('mock-node');
  await untilConfirmed(stack, 10, 15_000);
  process.stdout.write(`10 live among 90 dead: ${Math.round(performance.now() - announced)} ms\n`);

  const samples = await stack.metrics('provisioner');
  const failed = samples?.sumBy('reason', 'slipway_provisioner_runs_total', { outcome: 'FAILED' });
  expect([...(failed?.keys() ?? [])]).toEqual(['UNREACHABLE']);
});
