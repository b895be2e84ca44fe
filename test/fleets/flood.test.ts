// Strangers without a token of the fleet, at the listener for nodes: each is refused, and a flood of them stops nobody.

import { randomBytes, randomUUID } from 'node:crypto';
import { setInterval as every } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { openCompactToken } from '../e2e/compact-tokens.js';
import { untilConfirmed } from '../e2e/confirmed.js';
import { nodesOnDisk, notWhole } from '../e2e/nodes-on-disk.js';
import { linesOf } from '../e2e/strangers/log.js';
import {
  fleetToken,
  newSigner,
  Onlooker,
  registryAt,
  reportBytes,
  sealed,
} from '../e2e/strangers/reports.js';
import { encode, RefusedCall } from '../e2e/strangers/wire.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';
import { SiteKeys } from '../fakes/site-keys.js';

const nodes = 100;
/** For ten seconds, if the machine is quick enough. */
const perSecond = 500;
const total = 5_000;
const everyMs = 20;

test('500 reports a second without a good token are refused, and 100 nodes beside them are provisioned', async () => {
  const stack = await prepareStack({
    nodes,
    tls: 'required',
    helper: testHelper('stamped.sh'),
    discovery: { interval: '2s' },
    provisioner: { interval: '2s', identify_timeout: '20s' },
  });
  await stack.start('discovery');
  await stack.start('provisioner');
  const flooded = flood(stack);
  await stack.start('mock-node');
  await untilConfirmed(stack, nodes, 90_000);
  expect(await flooded).toEqual(new Map([['TOKEN_INVALID', total]]));

  const states = await nodesOnDisk(stack);
  expect(notWhole(states)).toEqual([]);
  expect([...states.values()].filter(({ configurations }) => configurations !== 1)).toEqual([]);
  const samples = await stack.metrics('discovery');
  expect(samples?.sum('slipway_discovery_reports_refused_total', { reason: 'TOKEN_INVALID' })).toBe(total);
  const onlooker = new Onlooker(stack);
  expect([...(await onlooker.nodes()).keys()].filter((name) => name.startsWith('stranger'))).toEqual([]);
  // It is said what goes on, and not 5,000 times.
  const said = linesOf(stack.logFile('discovery')).filter(({ msg }) => msg.includes('reports are refused'));
  expect(said).toContainEqual(
    expect.objectContaining({ level: 'warn', reason: 'TOKEN_INVALID', from: ['127.0.0.1'] }),
  );
  expect(said.length).toBeLessThan(5);
});

/** Resolves with how often a report was answered with what, once all of them were. */
type Flooded = Promise<Map<string, number>>;

/** Sends one report after the other, ready made, at their pace. */
async function flood(stack: Stack): Flooded {
  const path = '/slipway.discovery.v1.NodeRegistryService/Report';
  const address = `127.0.0.1:${stack.ports.nodes}`;
  const registries = Array.from({ length: 4 }, () => registryAt(stack, address));
  const signer = await newSigner();
  const tokens = await badTokens(fleetToken(stack));
  const reports = tokens.map((token, index) => {
    const identity = index % 2 === 0 ? `stranger-${index}.example.net` : `node-0000${index}.swarm.local`;
    const voice = { identity, port: 7430, bootId: randomUUID(), signer, token };
    const envelope = sealed(reportBytes(voice, 'STARTUP'), signer);
    const request = encode('slipway.discovery.v1.ReportRequest', { ...envelope });
    return { request, metadata: token === undefined ? {} : { authorization: `Bearer ${token}` } };
  });
  const outcomes: Promise<string>[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const began = performance.now();
  for await (const _ of ticks(stop.signal)) {
    const due = Math.min(((performance.now() - began) / 1000) * perSecond, total);
    while (outcomes.length < due) {
      const registry = registries[outcomes.length % registries.length];
      const report = reports[outcomes.length % reports.length];
      if (registry === undefined || report === undefined) throw new Error('there is nothing to send');
      outcomes.push(registry.send(path, report.request, report.metadata).then(() => 'taken', reasonOf));
    }
    if (outcomes.length >= total) break;
  }
  const counts = new Map<string, number>();
  for (const outcome of await Promise.all(outcomes)) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}

/** Goes on until it is told to stop. */
async function* ticks(signal: AbortSignal): AsyncGenerator<void> {
  try {
    yield* every(everyMs, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof RefusedCall ? error.reason || error.message : String(error);
}

async function badTokens(good: string): Promise<(string | undefined)[]> {
  const { claims, signature } = openCompactToken(good);
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [header, payload] = good.split('.');
  return [
    undefined,
    randomBytes(600).toString('base64url'),
    await new SiteKeys().token(now),
    `${part({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    `${header}.${part({ ...claims, cht: 'another secret' })}.${signature.toString('base64url')}`,
  ];
}
