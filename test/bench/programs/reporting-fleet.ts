// Nodes that only report, each over connections of its own: reporting-fleet.ts PLAN. It says READY, begins on a line of
// input, and from then on says once a second what became of the reports. A line of input is answered by nothing: MARK
// counts anew which nodes were heard.

import { randomUUID, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import {
  type BootCertificate,
  newBootCertificate,
} from '../../../services/mock-node/boot/boot-certificate.js';
import { readHeld } from '../../../services/mock-node/boot/held.js';
import type { Registry } from '../../../services/mock-node/reports/report.js';
import { Reporter } from '../../../services/mock-node/reports/reporter.js';
import { identityOf, loopbackHost } from '../../../services/mock-node/swarm/names.js';
import { systemClock } from '../../../shared/clock.js';
import { newBootId } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { LeanRegistry } from '../overload/lean-registry.js';
import { ReportTally } from '../overload/report-tally.js';

export interface FleetPlan {
  /** host:port of discovery's listener for nodes. */
  readonly discovery: string;
  /** The number of the first node among all that processes play, from 0, and how many this one plays. */
  readonly first: number;
  readonly nodes: number;
  readonly tls: boolean;
  /** Undefined where nodes have no token. */
  readonly tokenFile: string | undefined;
  /** Of the CA of discovery; undefined where nothing is encrypted. */
  readonly caFile: string | undefined;
  /** Where whoever dials a node waits in vain. Undefined where another process listens there. */
  readonly listen: number | undefined;
  readonly port: number;
}

/** Nodes that begin before others have a turn: a real one has a machine of its own. */
const beginAtOnce = 20;

const everyMs = 1_000;

/** A third of the share that discovery has of a core that both want. */
const niceness = 5;

if (process.argv.length > 2) await start(JSON.parse(process.argv[2] ?? ''));

async function start(plan: FleetPlan): Promise<void> {
  // Nodes have processors of their own: they are not to keep discovery from its core.
  setPriority(niceness);
  const { nodes, tls, tokenFile, listen } = plan;
  const held = await readHeld({ tokenFile, secretFile: undefined }, systemClock, silentLogger());
  const token = await held.tokenFile?.current();
  const certificate = tls ? await newBootCertificate('fleet', Date.now()) : undefined;
  if (listen !== undefined) silentServer(certificate).listen(listen, '0.0.0.0');
  const tally = new ReportTally();
  const discovery = new LeanRegistry(plan.discovery, plan.caFile && readFileSync(plan.caFile, 'utf8'));

  createInterface({ input: process.stdin })
    .on('close', () => process.exit())
    .on('line', (line) => {
      if (line === 'MARK') tally.forgetHeard();
      else void begin();
    });
  process.stdout.write('READY\n');

  async function begin(): Promise<void> {
    setInterval(() => process.stdout.write(`${JSON.stringify(tally.take())}\n`), everyMs);
    for (let index = 0; index < nodes; index++) {
      const registry = discovery.as({ certificate, token: token?.text });
      reporterOf(plan, plan.first + index, tally.counting(registry, index)).start();
      if (index % beginAtOnce === 0) await turn();
    }
  }
}

/** Takes connections, and says nothing. */
function silentServer(certificate: BootCertificate | undefined): Server {
  if (certificate === undefined) return createServer();
  const { der, key } = certificate;
  return createTlsServer({
    cert: new X509Certificate(der).toString(),
    key: key.export({ type: 'pkcs8', format: 'pem' }),
    ALPNProtocols: ['h2'],
  });
}

function reporterOf({ port }: FleetPlan, index: number, registry: Registry): Reporter {
  const identity = identityOf('node.swarm.local', index);
  if (identity === undefined) throw new Error(`node ${index} has no name`);
  return new Reporter({
    registry,
    facts: { identity, bootId: newBootId(), version: '1.0.0', host: loopbackHost(index), port },
    provisioned: undefined,
    upgraded: false,
    newEventId: randomUUID,
    clock: systemClock,
    random: Math.random,
    log: silentLogger(),
  });
}
