#!/usr/bin/env node
// Follows the provisioner's events, and goes on where it was after any interruption, its own end included:
//   subscriber.ts [HOST:PORT [POSITION_FILE]]
// Its certificates are named by SLIPWAY_TLS_CA, SLIPWAY_TLS_CERT and SLIPWAY_TLS_KEY; with SLIPWAY_TLS_MODE=insecure
// it has none.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { credentials, loadPackageDefinition, type ServiceClientConstructor, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const [address = '127.0.0.1:7420', positionFile = 'position.json'] = process.argv.slice(2);

/** Does what there is to do about an event. After a crash one may come twice; its id and sequence tell. */
function handle({ sequence, type, identity, run_finished: run }: Event): void {
  say([sequence, type, identity, run ? `${run.outcome} ${run.reason}` : ''].join(' ').trim());
}

/** Nobody will hear of these events. Who counts on all of them looks elsewhere: ListHosts, GetHost. */
function missed({ first, last, log_id, reason }: Gap): void {
  say(`missed ${first} to ${last || 'its end'} of log ${log_id}: ${reason}`);
}

/** Keeps a position, also over a power cut: the old one is there until the new one is on disk. */
function keep(position: Position): void {
  const file = openSync(`${positionFile}.new`, 'w');
  writeSync(file, JSON.stringify(position));
  fsyncSync(file);
  closeSync(file);
  renameSync(`${positionFile}.new`, positionFile);
}

async function follow(client: Client): Promise<void> {
  const start = existsSync(positionFile)
    ? { after: JSON.parse(readFileSync(positionFile, 'utf8')) }
    : { earliest: {} };
  for await (const { events: batch, gap, bookmark } of client.WatchEvents(start)) {
    if (batch) {
      for (const event of batch.events) handle(event);
      keep({ log_id: batch.log_id, sequence: batch.events.at(-1)?.sequence ?? 0 });
    } else if (gap) {
      missed(gap);
      // The log that was replaced is left behind with the bookmark that comes next.
      if (gap.reason !== 'GAP_REASON_LOG_REPLACED') keep({ log_id: gap.log_id, sequence: gap.last });
    } else if (bookmark) keep(bookmark.position);
  }
}

/** What would be answered the same way again. */
const inVain = new Set([
  status.INVALID_ARGUMENT,
  status.OUT_OF_RANGE,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
]);

const client = connect();
for (;;) {
  try {
    await follow(client);
  } catch (error) {
    const { code, details } = error as { readonly code: status; readonly details?: string };
    if (details === undefined) throw error;
    process.stderr.write(`${details}${inVain.has(code) ? '' : '; trying again'}\n`);
    if (inVain.has(code)) process.exit(1);
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
}

function connect(): Client {
  const loaded: unknown = loadPackageDefinition(
    loadSync('slipway/provisioner/v1/events.proto', {
      includeDirs: [fileURLToPath(new URL('../../proto', import.meta.url))],
      keepCase: true,
      enums: String,
      longs: Number,
    }),
  );
  const { slipway } = loaded as Loaded;
  const { env } = process;
  const [ca, key, cert] = [env.SLIPWAY_TLS_CA, env.SLIPWAY_TLS_KEY, env.SLIPWAY_TLS_CERT].map(
    (file) => file && readFileSync(file),
  );
  const channel =
    env.SLIPWAY_TLS_MODE === 'insecure'
      ? credentials.createInsecure()
      : credentials.createSsl(ca || null, key || null, cert || null);
  // Without keepalive it would wait for ever for a machine that is gone.
  const options = { 'grpc.keepalive_time_ms': 20_000, 'grpc.keepalive_timeout_ms': 10_000 };
  const made: unknown = new slipway.provisioner.v1.ProvisioningEventService(address, channel, options);
  return made as Client;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// What of the contract is used here: proto/slipway/provisioner/v1/events.proto.

interface Position {
  readonly log_id: string;
  readonly sequence: number;
}

interface Event {
  readonly sequence: number;
  readonly type: string;
  readonly identity: string;
  readonly run_finished?: { readonly outcome: string; readonly reason: string };
}

interface Gap {
  readonly log_id: string;
  readonly first: number;
  readonly last: number;
  readonly reason: string;
}

interface Client {
  WatchEvents(request: object): AsyncIterable<{
    readonly events?: { readonly log_id: string; readonly events: readonly Event[] };
    readonly gap?: Gap;
    readonly bookmark?: { readonly position: Position };
  }>;
}

interface Loaded {
  readonly slipway: {
    readonly provisioner: { readonly v1: { readonly ProvisioningEventService: ServiceClientConstructor } };
  };
}
