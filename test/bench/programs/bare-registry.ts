// Takes the reports of a swarm and does nothing about them: bare-registry.ts PLAN. It says READY, and then a line for
// each node that says that it is there (STARTUP NAME ADDRESS HASH) or that it came up configured (PROVISIONED NAME).

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import {
  NodeRegistryServiceService,
  NodeReport,
  ReportType,
} from '../../../shared/gen/slipway/discovery/v1/registry.js';
import { toDuration } from '../../../shared/wire/time.js';

export interface RegistryPlan {
  readonly port: number;
  /** PEM files; undefined without TLS. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
}

/** As discovery's, when it is paced for benchmarks. */
const paceMs = 3_600_000;

if (process.argv.length > 2) start(JSON.parse(process.argv[2] ?? ''));

function start({ port, tls }: RegistryPlan): void {
  process.stdin.resume().on('end', () => process.exit());
  const server = new Server();
  const response = { leaseTtl: toDuration(3 * paceMs), nextReportIn: toDuration(paceMs) };
  const hashes = new Map<string, string>();
  server.addService(NodeRegistryServiceService, {
    report: (
      { request }: { readonly request: { readonly report: Buffer; readonly certificate: Buffer } },
      callback: (error: null, reply: typeof response) => void,
    ) => {
      const { type, identity, host, port: at } = NodeReport.decode(request.report);
      if (type === ReportType.STARTUP)
        say(`STARTUP ${identity} ${host}:${at} ${hashOf(request.certificate)}`);
      if (type === ReportType.PROVISIONED) say(`PROVISIONED ${identity}`);
      callback(null, response);
    },
  });
  server.bindAsync(`127.0.0.1:${port}`, credentialsFor(tls), (error) => {
    if (error !== null) throw error;
    say('READY');
  });

  /** The certificate of a swarm is one and the same. */
  function hashOf(certificate: Buffer): string {
    const key = certificate.toString('latin1');
    const known = hashes.get(key) ?? createHash('sha256').update(certificate).digest('hex');
    if (certificate.length > 0) hashes.set(key, known);
    return certificate.length > 0 ? known : '';
  }
}

/** The chain is presented with its root, by which nodes know it. */
function credentialsFor(tls: RegistryPlan['tls']): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const [ca, cert, key] = [tls.ca, tls.cert, tls.key].map((path) => readFileSync(path));
  if (ca === undefined || cert === undefined || key === undefined) throw new Error('a file is missing');
  return ServerCredentials.createSsl(ca, [{ private_key: key, cert_chain: Buffer.concat([cert, ca]) }]);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
