// Nodes that only report: report-storm.ts PLAN. It says READY, and on each line of input has each node report once, STARTUP
// first and then ALIVE, and says how many seconds that took.

import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { newBootCertificate } from '../../../services/mock-node/boot/boot-certificate.js';
import { readHeld } from '../../../services/mock-node/boot/held.js';
import { Registries } from '../../../services/mock-node/reports/registries.js';
import type { Report } from '../../../services/mock-node/reports/report.js';
import { identityOf, loopbackHost } from '../../../services/mock-node/swarm/names.js';
import { systemClock } from '../../../shared/clock.js';
import { newBootId } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';

export interface StormPlan {
  /** host:port of discovery's listener for nodes. */
  readonly discovery: string;
  readonly nodes: number;
  /** Of the whole storm: numbers go into it. */
  readonly name: string;
  readonly tls: boolean;
  /** Undefined where nodes have no token. */
  readonly tokenFile: string | undefined;
}

if (process.argv.length > 2) await start(JSON.parse(process.argv[2] ?? ''));

async function start({ discovery, nodes, name, tls, tokenFile }: StormPlan): Promise<void> {
  const warn = (message: string) => void process.stderr.write(`${message}\n`);
  const registries = new Registries({
    ...{ address: discovery, tls, caPem: undefined, lingerMs: 60_000 },
    ...{ clock: systemClock, warn },
  });
  const held = await readHeld({ tokenFile, secretFile: undefined }, systemClock, silentLogger());
  const token = await held.tokenFile?.current();
  const certificate = tls ? await newBootCertificate('storm', Date.now()) : undefined;
  const registry = registries.open({ certificate, token: token?.text, caSha256: token?.caSha256 ?? '' });
  if (registry === undefined) throw new Error('the nodes do not know discovery');
  const reports = Array.from({ length: nodes }, (_, index) => firstReport(name, index));

  createInterface({ input: process.stdin })
    .on('close', () => process.exit())
    .on('line', () => void round().then((seconds) => process.stdout.write(`${seconds}\n`)));
  process.stdout.write('READY\n');

  async function round(): Promise<number> {
    const began = performance.now();
    // No more at once than the channel takes: a list of promises for all would be the storm's own load.
    let next = 0;
    const speaker = async () => {
      const forever = new AbortController();
      for (let index = next++; index < nodes; index = next++) {
        const report = reports[index];
        if (report === undefined) return;
        await registry?.report({ ...report, time: Date.now() }, forever.signal);
        reports[index] = { ...report, type: 'ALIVE', eventId: randomUUID(), sequence: report.sequence + 1 };
      }
    };
    await Promise.all(Array.from({ length: 128 }, speaker));
    return (performance.now() - began) / 1000;
  }
}

function firstReport(name: string, index: number): Report {
  const identity = identityOf(name, index);
  if (identity === undefined) throw new Error(`node ${index} has no name`);
  const place = { host: loopbackHost(index), port: 7_430 };
  const report = {
    ...place,
    identity,
    type: 'STARTUP',
    bootId: newBootId(),
    version: '1.0.0',
    sequence: 1,
  } as const;
  return { ...report, eventId: randomUUID(), time: 0, provisioned: undefined };
}
