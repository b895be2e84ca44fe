// Looks at discovery and provisioner again and again, as those do who run them: probes.ts PLAN. On a line of input it says
// what it saw since the last one, as JSON.

import { createInterface } from 'node:readline';
import { Client, credentials } from '@grpc/grpc-js';
import { scrape } from '../../../cli/launch/scrape.js';
import { NodeDiscoveryServiceClient } from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { ProvisionerServiceClient } from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../../shared/grpc/channel.js';
import { serviceCredentials } from '../../../shared/tls/channel-credentials.js';
import { NodeWatch, type Watched } from '../overload/node-watch.js';
import { ProbeTimes, type Times } from '../overload/probe-times.js';
import { operatorFiles } from '../sides/provision/connections.js';

export interface ProbePlan {
  /** host:port of discovery's listener for consumers, and of the provisioner's. */
  readonly discovery: string;
  readonly provisioner: string;
  readonly discoveryMonitor: number;
  /** A folder; undefined where nothing is encrypted. */
  readonly certificates: string | undefined;
}

export const probeNames = ['health', 'listNodes', 'readyz', 'metrics', 'getStatus'] as const;

export type ProbeName = (typeof probeNames)[number];

export interface Seen {
  readonly times: Readonly<Record<ProbeName, Times>>;
  readonly watched: Watched;
  /** How late discovery was at the most: milliseconds. */
  readonly loopLagMs: number;
}

/** How often each probe is made, whatever became of the last one: milliseconds. */
const everyMs = 200;

const timeoutMs = 5_000;

if (process.argv.length > 2) await start(JSON.parse(process.argv[2] ?? ''));

async function start(plan: ProbePlan): Promise<void> {
  const files = plan.certificates === undefined ? undefined : await operatorFiles(plan.certificates);
  const credentialsOf = (service: 'discovery' | 'provisioner') =>
    files === undefined ? credentials.createInsecure() : serviceCredentials(files, service);
  const discovery = new NodeDiscoveryServiceClient(
    plan.discovery,
    credentialsOf('discovery'),
    serviceChannelOptions,
  );
  const watch = new NodeWatch(discovery);
  let loopLagMs = 0;
  const probes: Readonly<Record<ProbeName, () => Promise<unknown>>> = {
    health: () => health(plan.discovery, credentialsOf('discovery')),
    listNodes: async () => {
      // Anew each time: a channel that lost its service waits for seconds before it looks again.
      const client = new NodeDiscoveryServiceClient(
        plan.discovery,
        credentialsOf('discovery'),
        serviceChannelOptions,
      );
      const request = { pageSize: 10, pageToken: '', filter: undefined };
      await callUnary(client.listNodes.bind(client), request, { timeoutMs }).finally(() => client.close());
    },
    readyz: () => get(plan.discoveryMonitor, '/readyz'),
    metrics: async () => {
      const samples = await scrape(plan.discoveryMonitor);
      if (samples === undefined) throw new Error('no metrics');
      loopLagMs = Math.max(loopLagMs, samples.sum('nodejs_eventloop_lag_max_seconds') * 1000);
    },
    getStatus: async () => {
      const client = new ProvisionerServiceClient(
        plan.provisioner,
        credentialsOf('provisioner'),
        serviceChannelOptions,
      );
      await callUnary(client.getStatus.bind(client), {}, { timeoutMs }).finally(() => client.close());
    },
  };
  const times = new Map(probeNames.map((name) => [name, new ProbeTimes(probes[name])]));
  for (const [index, of] of [...times.values()].entries()) {
    // One after the other: they are not to wait for each other.
    setTimeout(() => setInterval(() => of.probe(), everyMs), (index * everyMs) / probeNames.length);
  }
  createInterface({ input: process.stdin })
    .on('close', () => process.exit())
    .on('line', () => {
      const seen = {
        times: Object.fromEntries([...times].map(([name, of]) => [name, of.take()])),
        watched: watch.take(),
        loopLagMs: Math.round(loopLagMs),
      };
      loopLagMs = 0;
      process.stdout.write(`${JSON.stringify(seen)}\n`);
    });
  process.stdout.write('READY\n');
}

/** Over a connection of its own, as a supervisor asks. */
async function health(address: string, by: ReturnType<typeof credentials.createInsecure>): Promise<void> {
  const client = new Client(address, by, serviceChannelOptions);
  const raw = (bytes: Buffer) => bytes;
  try {
    const reply = await callUnary<Buffer, Buffer | undefined>(
      (request, metadata, options, callback) =>
        client.makeUnaryRequest(
          '/grpc.health.v1.Health/Check',
          raw,
          raw,
          request,
          metadata,
          options,
          callback,
        ),
      Buffer.of(),
      { timeoutMs },
    );
    // Field 1, SERVING.
    if (reply?.equals(Buffer.of(8, 1)) !== true) throw new Error('not serving');
  } finally {
    client.close();
  }
}

async function get(port: number, path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
}
