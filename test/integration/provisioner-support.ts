// Starts a provisioner, with a discovery service and nodes that do as they are told.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, type ServerCredentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { createApp, type ProvisionerApp } from '../../services/provisioner/app.js';
import { loadProvisionerConfig } from '../../services/provisioner/config.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import { NodeEventType } from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { ProvisionerServiceClient } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary, type UnaryMethod } from '../../shared/grpc/call.js';
import { type Logger, loggerTo } from '../../shared/logger.js';
import type { TestCertificate } from '../fakes/certificates.js';
import { eventMessage, FakeDiscovery, synced, wireNode } from '../fakes/fake-discovery.js';
import { type FakeNode, FakeNodes } from '../fakes/fake-nodes.js';

const helperScript = `#!/bin/sh
cat > /dev/null
echo '{"configuration": {"plugin.choria.server.provision": "false"}}'
`;

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A folder for one test, with a helper that always answers the same. */
export class Site {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'slipway-provisioner-'));
  readonly lines: LogLine[] = [];
  readonly #waiting = new Set<() => void>();

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    this.write('helper.sh', helperScript);
  }

  write(name: string, text: string): void {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }

  /** Starts a provisioner, stopped at the end of the test where the test does not. */
  async start(
    discoveries: readonly string[],
    settings: Readonly<Record<string, unknown>> = {},
    clock: Clock = systemClock,
  ): Promise<ProvisionerApp> {
    this.write(
      'provisioner.yaml',
      stringify({
        tls: { mode: 'insecure' },
        listen: '127.0.0.1:0',
        monitor_host: '127.0.0.1',
        monitor_port: 0,
        discovery: discoveries,
        node_networks: ['127.0.0.0/8'],
        helper: join(this.folder, 'helper.sh'),
        data_dir: join(this.folder, 'data'),
        shutdown_grace: '5s',
        ...settings,
      }),
    );
    const { config } = loadProvisionerConfig({ file: join(this.folder, 'provisioner.yaml'), env: {} });
    const app = await createApp(config, this.#log(), { env: process.env, clock });
    onTestFinished(() => app.stop());
    return app;
  }

  /** The first log line that fits, now or later. */
  async line(fits: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #log(): Logger {
    const write = (text: string) => {
      this.lines.push(JSON.parse(text));
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    };
    return loggerTo({ write }, { service: 'provisioner', site: 'lab', level: 'debug' });
  }
}

export async function startDiscovery(port = 0, credentials?: ServerCredentials): Promise<FakeDiscovery> {
  const discovery = await FakeDiscovery.start(port, credentials);
  onTestFinished(() => discovery.stop());
  return discovery;
}

/** @param certificate one for all of them; without it they speak in the clear */
export async function startNodes(certificate?: TestCertificate): Promise<FakeNodes> {
  const nodes = await FakeNodes.start(certificate);
  onTestFinished(() => nodes.stop());
  return nodes;
}

/** A snapshot that names these nodes. */
export function snapshotOf(nodes: FakeNodes, ...present: readonly FakeNode[]) {
  return () => [...present.map((node) => sighting(nodes, node)), synced()];
}

export function sighting(nodes: FakeNodes, node: FakeNode) {
  return eventMessage({ node: wire(nodes, node) });
}

/** The node reports that it came up with the configuration that it was last given. */
export function arrival(nodes: FakeNodes, node: FakeNode) {
  return eventMessage({
    type: NodeEventType.PROVISIONED,
    node: wire(nodes, node),
    runId: node.runId,
    configurationDigest: node.configurationDigest,
  });
}

function wire(nodes: FakeNodes, node: FakeNode) {
  return wireNode({
    identity: node.identity,
    bootId: node.bootId,
    address: nodes.addressOf(node),
    certificateSha256: Buffer.from(nodes.certificateSha256, 'hex'),
  });
}

/** An operator's client. */
export function operator(app: ProvisionerApp): ProvisionerServiceClient {
  const client = new ProvisionerServiceClient(app.addresses.api ?? '', credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
}

/** @returns whether health says SERVING of the service as a whole */
export async function isServing(app: ProvisionerApp): Promise<boolean> {
  const client = new Client(app.addresses.api ?? '', credentials.createInsecure());
  const pass = (bytes: Buffer) => bytes;
  const check: UnaryMethod<Buffer, Buffer> = (request, metadata, options, callback) =>
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      pass,
      pass,
      request,
      metadata,
      options,
      (error, reply = Buffer.alloc(0)) => callback(error, reply),
    );
  try {
    // An empty request asks about the server; in the reply, field 1 is the status and 1 is SERVING.
    const reply = await callUnary(check, Buffer.alloc(0), { timeoutMs: 5_000 });
    return reply.equals(Buffer.from([0x08, 1]));
  } finally {
    client.close();
  }
}

/** The sum of a metric over the series that hold all of these words. */
export async function metric(
  app: ProvisionerApp,
  name: string,
  ...words: readonly string[]
): Promise<number> {
  const text = await app.metrics.registry.metrics();
  return text
    .split('\n')
    .filter(
      (line) => line.startsWith(`slipway_provisioner_${name}{`) && words.every((word) => line.includes(word)),
    )
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
