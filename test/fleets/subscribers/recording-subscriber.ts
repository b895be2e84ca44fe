// A subscriber as a program of its own, to be killed: recording-subscriber.ts HOST:PORT FILE. It takes up its record
// where that ends, and comes back by itself while the provisioner is away.

import { appendFileSync } from 'node:fs';
import { credentials, type ServiceError } from '@grpc/grpc-js';
import {
  ProvisioningEventServiceClient,
  type WatchEventsResponse,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { serviceChannelOptions } from '../../../shared/grpc/channel.js';
import { type Line, mend, positionOf, readRecord } from './record.js';

const [address = '', file = ''] = process.argv.slice(2);

mend(file);
let position = positionOf(readRecord(file));
const client = new ProvisioningEventServiceClient(
  address,
  credentials.createInsecure(),
  serviceChannelOptions,
);
watch();

function watch(): void {
  const start =
    position === undefined
      ? ({ $case: 'earliest', value: {} } as const)
      : ({
          $case: 'after',
          value: { logId: position.logId, sequence: BigInt(position.sequence) },
        } as const);
  const stream = client.watchEvents({ start, filter: undefined });
  stream.on('data', (message: WatchEventsResponse) => take(message));
  stream.on('error', (error: ServiceError) => {
    process.stderr.write(`${error.message}\n`);
    setTimeout(watch, 100);
  });
}

function take({ message }: WatchEventsResponse): void {
  if (message?.$case === 'events') {
    const { logId, events } = message.value;
    write({
      kind: 'EVENTS',
      logId,
      events: events.map(({ sequence, id }) => ({ sequence: Number(sequence), id })),
    });
  } else if (message?.$case === 'gap') {
    const { logId, first, last, reason } = message.value;
    write({ kind: 'GAP', logId, first: Number(first), last: Number(last), reason });
  }
}

function write(line: Line): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  // Whoever is to kill it waits for that.
  process.stdout.write(`${line.kind}\n`);
  position = positionOf([line]) ?? position;
}
