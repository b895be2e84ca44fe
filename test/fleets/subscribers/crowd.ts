// Many subscribers in one program: crowd.ts HOST:PORT READERS STALLED [CERTIFICATES]. The readers note how long after an
// event they were told of it; of each event no more is decoded than that takes. The stalled ones read one message and
// then nothing. It says READY once all of them watch, and on a line of input what the readers have noted, as JSON;
// where the line is ANEW, they note how late events are as if there had been none before. Without a folder of
// certificates nothing is encrypted.

import { createInterface } from 'node:readline';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { type ChannelCredentials, Client, credentials } from '@grpc/grpc-js';
import {
  ProvisioningEventServiceService,
  WatchEventsRequest,
} from '../../../shared/gen/slipway/provisioner/v1/events.js';
import { serviceChannelOptions } from '../../../shared/grpc/channel.js';
import { serviceCredentials } from '../../../shared/tls/channel-credentials.js';
import { operatorFiles } from '../../bench/sides/provision/connections.js';

/** What one crowd has noted. */
export interface Noted {
  /** Events that each reader was told of. */
  readonly counts: readonly number[];
  /** Milliseconds from an event to when a reader had it, by rank. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const longestMs = 60_000;

/** How many events came after so many milliseconds. */
const lags = new Uint32Array(longestMs + 1);

if (process.argv.length > 3) await start(process.argv.slice(2));

async function start([address = '', readers = '', stalled = '', certificates]: string[]): Promise<void> {
  const trusted =
    certificates === undefined
      ? credentials.createInsecure()
      : serviceCredentials(await operatorFiles(certificates), 'provisioner');
  const counts = Array.from({ length: Number(readers) }, () => 0);
  let watching = 0;
  const begun = () => {
    watching += 1;
    if (watching === Number(readers) + Number(stalled)) process.stdout.write('READY\n');
  };
  for (const index of counts.keys()) {
    let first = true;
    const stream = watch(address, trusted);
    stream.on('data', (message: Buffer) => {
      if (first) begun();
      first = false;
      counts[index] = (counts[index] ?? 0) + note(message, Date.now());
    });
  }
  for (let index = 0; index < Number(stalled); index++) {
    const stream = watch(address, trusted);
    stream.once('data', () => {
      stream.pause();
      begun();
    });
  }
  createInterface({ input: process.stdin })
    .on('close', () => process.exit())
    .on('line', (line) => {
      const noted: Noted = { counts, p50: rank(0.5), p99: rank(0.99), max: rank(1) };
      process.stdout.write(`${JSON.stringify(noted)}\n`);
      if (line === 'ANEW') lags.fill(0);
    });
}

function watch(address: string, trusted: ChannelCredentials) {
  const client = new Client(address, trusted, serviceChannelOptions);
  const { path, requestSerialize } = ProvisioningEventServiceService.watchEvents;
  const request = WatchEventsRequest.fromPartial({});
  const stream = client.makeServerStreamRequest(path, requestSerialize, (bytes) => bytes, request);
  stream.on('error', (error) => process.stderr.write(`${error.message}\n`));
  return stream;
}

/** Notes for all events of a message how long ago the oldest happened. @returns how many there are */
function note(message: Buffer, now: number): number {
  const reader = new BinaryReader(message);
  // Field 1 of the message is a batch; bookmarks and gaps are others.
  if (reader.uint32() !== tag(1)) return 0;
  reader.uint32();
  let count = 0;
  let lag = 0;
  while (reader.pos < reader.len) {
    const field = reader.uint32();
    const end = reader.uint32() + reader.pos;
    if (field === tag(2)) {
      if (count === 0) lag = Math.round(Math.min(Math.max(now - timeOf(reader, end), 0), longestMs));
      count += 1;
    }
    reader.pos = end;
  }
  lags[lag] = (lags[lag] ?? 0) + count;
  return count;
}

/** Field 3 of an event is its time: seconds and nanoseconds. */
function timeOf(reader: BinaryReader, end: number): number {
  while (reader.pos < end) {
    const field = reader.uint32();
    if (field === tag(3)) {
      reader.uint32();
      reader.uint32();
      const seconds = Number(reader.int64());
      return seconds * 1000 + (reader.uint32() === 16 ? reader.int32() / 1e6 : 0);
    }
    reader.skip(field & 7);
  }
  return 0;
}

function tag(field: number): number {
  return (field << 3) | 2;
}

function rank(share: number): number {
  const total = lags.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [lag, count] of lags.entries()) {
    seen += count;
    if (count > 0 && seen >= total * share) return lag;
  }
  return 0;
}
