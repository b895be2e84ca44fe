// The lines to discovery fail while a fleet is provisioned, that of the nodes and that of the provisioner: nobody is
// lost, nobody is configured twice, and whoever talks to nobody finds out in time.

import { expect, test } from 'vitest';
import { freePorts } from '../../../cli/launch/ports.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { until } from '../../../cli/launch/until.js';
import { startAnotherSwarm } from '../../e2e/another-swarm.js';
import { untilCommitted, untilConfirmed } from '../../e2e/confirmed.js';
import { LogLines } from '../../e2e/log-lines.js';
import { mixedStamps, nodesOnDisk, notWhole } from '../../e2e/nodes-on-disk.js';
import { prepareStack, testHelper } from '../../e2e/workspace.js';
import type { FaultProxy, ProxyMode } from '../../fakes/fault-proxy.js';
import { startProxy } from './proxy.js';

/** So many are there before the lines fail, and as many come while they do. */
const nodes = 25;

/** Ten seconds without a word, and five more for an answer (docs/operations.md). */
const clientNoticesMs = 15_000;
/** Twenty, and ten more. */
const serverNoticesMs = 30_000;
/** A clock in another process, and a machine that has other things to do. */
const leewayMs = 3_000;

interface Site {
  readonly stack: Stack;
  /** From the nodes to discovery, and from the provisioner. */
  readonly lines: { readonly nodes: FaultProxy; readonly watch: FaultProxy };
  readonly log: LogLines;
}

async function startSite(): Promise<Site> {
  const ports = await freePorts(['nodes', 'watch']);
  const ofNodes = `127.0.0.1:${ports.nodes}`;
  const ofWatch = `127.0.0.1:${ports.watch}`;
  const stack = await prepareStack({
    nodes,
    tls: 'required',
    helper: `${testHelper('slow-stamped.sh')} 0.2`,
    discovery: { interval: '3s', report_interval: '1s', probe_timeout: '5s' },
    provisioner: { interval: '3s', identify_timeout: '10s', workers: 4, discovery: [ofWatch] },
    swarm: ['--discovery', ofNodes],
  });
  const lines = {
    nodes: await startProxy({ listen: ofNodes, target: `127.0.0.1:${stack.ports.nodes}` }),
    watch: await startProxy({ listen: ofWatch, target: `127.0.0.1:${stack.ports.consumers}` }),
  };
  await stack.startAll();
  return { stack, lines, log: new LogLines(stack.logFile('provisioner')) };
}

/** Resolves with how long it took until the provisioner said the text for so many times. */
async function untilSaidTimes({ log }: Site, text: string, times: number): Promise<number> {
  const began = performance.now();
  const look = () => log.count(text) >= times;
  await until(look, { what: `${text}, ${times} times`, timeoutMs: serverNoticesMs });
  return performance.now() - began;
}

const lost = 'lost a discovery service';
const watching = 'watching a discovery service';

for (const { what, mode, whileMs, noticedWithinMs } of [
  { what: 'are reset', mode: { kind: 'RESET' }, whileMs: 4_000, noticedWithinMs: 0 },
  {
    what: 'swallow everything',
    mode: { kind: 'BLACK_HOLE' },
    whileMs: 8_000,
    noticedWithinMs: clientNoticesMs,
  },
  {
    what: 'are half open, discovery being gone',
    mode: { kind: 'HALF_OPEN', gone: 'SERVER' },
    whileMs: 0,
    noticedWithinMs: clientNoticesMs,
  },
] as const satisfies readonly { mode: ProxyMode; [key: string]: unknown }[]) {
  test(`lines to discovery that ${what}: the watch is resumed in time, and all nodes are provisioned, once`, async () => {
    const site = await startSite();
    const { stack, lines } = site;
    await untilCommitted(stack, nodes / 5);

    for (const line of [lines.nodes, lines.watch]) line.set(mode);
    const lostAfter = untilSaidTimes(site, lost, 1);
    const late = startAnotherSwarm(stack, {
      name: 'late',
      nodes,
      flags: [
        ...['--discovery', lines.nodes.address],
        ...['--jwt-file', stack.trust?.provisioningToken ?? '', '--share-certificate'],
      ],
    });
    const over = performance.now() + whileMs;
    await until(() => performance.now() >= over, { what: 'it is over', timeoutMs: whileMs + 1_000 });
    for (const line of [lines.nodes, lines.watch]) line.set({ kind: 'PASS' });

    const tookMs = await lostAfter;
    process.stdout.write(`lines ${what}: noticed after ${Math.round(tookMs)} ms\n`);
    expect(tookMs).toBeLessThan(noticedWithinMs + leewayMs);
    await untilSaidTimes(site, watching, 2);
    const swarms = [stack, await late];
    await untilConfirmed(stack, 2 * nodes, 60_000);
    for (const swarm of swarms) {
      const states = await nodesOnDisk(swarm);
      expect(notWhole(states)).toEqual([]);
      expect([...states].filter(([, { configurations }]) => configurations !== 1)).toEqual([]);
      expect(await mixedStamps(swarm, states)).toEqual([]);
    }
    const samples = await stack.metrics('provisioner');
    expect(samples?.sum('slipway_provisioner_discovery_connected')).toBe(1);
    expect(samples?.sum('slipway_provisioner_confirmed_total')).toBe(2 * nodes);
  });
}

test('a watcher that vanished without a word is no watcher any more within half a minute', async () => {
  const site = await startSite();
  const { stack, lines } = site;
  const watchers = async () => (await stack.metrics('discovery'))?.sum('slipway_discovery_watchers');
  lines.watch.set({ kind: 'HALF_OPEN', gone: 'CLIENT' });
  const began = performance.now();
  await untilSaidTimes(site, watching, 2);
  expect(await watchers()).toBe(2);
  await until(async () => (await watchers()) === 1, { what: 'it is noticed', timeoutMs: 60_000 });
  expect(performance.now() - began).toBeLessThan(serverNoticesMs + leewayMs);
});
