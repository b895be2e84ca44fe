// A fleet that reports all at once over TLS, a connection for each report, to a discovery that is then killed and comes back.

import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../cli/launch/until.js';
import { ReportingFleet } from '../bench/overload/fleet.js';
import { Observer } from '../bench/overload/observer.js';
import type { Phase } from '../bench/overload/phase.js';
import { probeNames } from '../bench/programs/probes.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';
import { size } from './sizes.js';

const nodes = size('FLEET_NODES', 1_000);

/** A quarter of it on a quiet machine with two cores. */
const patienceMs = 180_000;

const awayMs = 20_000;

/** Of the leases, how many may run out: a process that plays thousands may have a node wait too long for its core. */
const expiredShare = 0.01;

/** Of the answers, how many may take longer than a second: the nodes are played on the same cores. */
const lateShare = 0.02;

test(`${nodes} nodes that report at once, and again after discovery was away, are all known, and operators are answered meanwhile`, {
  timeout: 2 * patienceMs + 120_000,
}, async () => {
  const stack = await prepareStack({
    nodes,
    tls: 'required',
    helper: testHelper('stamped.sh'),
    // Whoever dials one of these nodes waits in vain: they stay in the queue.
    provisioner: { workers: 1, identify_timeout: '1d', run_timeout: '1d' },
  });
  let { pid } = await stack.start('discovery');
  await stack.start('provisioner');
  const fleet = await ReportingFleet.prepare(stack, nodes, true);
  onTestFinished(() => fleet.kill());
  const observer = await Observer.start({ stack, fleet, tls: true, discoveryPid: () => pid });
  onTestFinished(() => observer.kill());
  const untilKnown = async () => {
    const { phase } = await observer.phase(() => observer.known(), nodes, patienceMs);
    expectServed(phase);
  };

  fleet.begin();
  await untilKnown();
  await stack.end('discovery', 'SIGKILL');
  await observer.phase(async () => 0, undefined, awayMs);
  ({ pid } = await stack.start('discovery'));
  await untilKnown();
  await until(async () => (await observer.hosts()) === nodes, {
    what: 'the provisioner has all nodes in its queue',
    timeoutMs: 30_000,
  });
});

/** Nobody was forgotten; whoever asks discovery or the provisioner was answered, and hardly anybody late. */
function expectServed({ known, expired, probes }: Phase): void {
  expect(known).toBe(nodes);
  expect(expired).toBeLessThanOrEqual(Math.ceil(nodes * expiredShare));
  for (const name of probeNames) {
    const { failed, count, late } = probes[name];
    expect({ name, failed }).toEqual({ name, failed: 0 });
    expect(late, name).toBeLessThanOrEqual(Math.ceil(count * lateShare));
  }
}
