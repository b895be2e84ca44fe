// Subscribers of every bad kind at one provisioner: it works on, whoever reads hears of everything, what is gone leaves
// nothing behind, and all of them together do not keep it from stopping.

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { type ServiceError, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import {
  EventType,
  type ProvisioningEventServiceClient,
  ProvisioningEventServiceService,
  WatchEventsRequest,
} from '../../shared/gen/slipway/provisioner/v1/events.js';
import { untilConfirmed } from './confirmed.js';
import { eventsOf } from './events-client.js';
import { prepareStack, testHelper } from './workspace.js';

const fromTheStart = { start: { $case: 'earliest', value: {} }, filter: undefined } as const;

test('subscribers that read nothing, say half of what they want or come and go: nodes are provisioned, and it stops', async () => {
  const nodes = 50;
  const stack = await prepareStack({ nodes, helper: testHelper('stamped.sh') });
  await stack.start('discovery');
  await stack.start('provisioner');

  const deaf = openSession(stack, { initialWindowSize: 0 });
  for (let count = 0; count < 50; count++) ask(deaf).end(message);
  const tongueTied = openSession(stack);
  for (let count = 0; count < 20; count++) ask(tongueTied).write(message);
  const reader = new Reader(stack);
  await subscribersAre(stack, 51);
  for (let round = 0; round < 3; round++) await comeAndGo(stack);
  await stack.start('mock-node');
  await untilConfirmed(stack, nodes, 60_000);
  await comeAndGo(stack);
  await subscribersAre(stack, 51);
  await expect.poll(() => reader.confirmed, { timeout: 10_000 }).toBe(nodes);
  expect(reader.sequences).toEqual(reader.sequences.map((_, index) => index + 1));
  deaf.destroy();
  await subscribersAre(stack, 1);

  const deafAgain = openSession(stack, { initialWindowSize: 0 });
  for (let count = 0; count < 50; count++) ask(deafAgain).end(message);
  const standing = Array.from({ length: 20 }, () => new Reader(stack));
  await subscribersAre(stack, 71);
  for (const { stream } of standing.slice(0, 10)) stream.pause();
  const asked = performance.now();
  expect(await stack.end('provisioner')).toEqual({ code: 0, signal: null });
  expect(performance.now() - asked).toBeLessThan(20_000);
  for (const { ended } of [reader, ...standing.slice(10)]) expect(await ended).toBe(status.UNAVAILABLE);
});

/** A watch, and what it is told of. */
class Reader {
  readonly stream: ReturnType<ProvisioningEventServiceClient['watchEvents']>;
  readonly sequences: number[] = [];
  confirmed = 0;
  /** How the watch ended: a status code. */
  readonly ended: Promise<number>;

  constructor(stack: Stack) {
    this.stream = eventsOf(stack).watchEvents(fromTheStart);
    this.ended = new Promise((resolve) => {
      this.stream.on('error', ({ code }: ServiceError) => resolve(code));
    });
    this.stream.on('data', ({ message: told }) => {
      if (told?.$case !== 'events') return;
      for (const { sequence, type } of told.value.events) {
        this.sequences.push(Number(sequence));
        if (type === EventType.NODE_CONFIRMED) this.confirmed += 1;
      }
    });
  }
}

const { path } = ProvisioningEventServiceService.watchEvents;

/** A watch from the oldest event, as it goes over the wire. */
const message = (() => {
  const request = WatchEventsRequest.encode(fromTheStart).finish();
  const header = Buffer.alloc(5);
  header.writeUInt32BE(request.length, 1);
  return Buffer.concat([header, request]);
})();

function openSession(stack: Stack, settings = {}): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${stack.ports.provisioner}`, { settings });
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

/** Opens a stream on which nothing was said yet. */
function ask(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => {});
  return stream;
}

/** Watches that are dropped as soon as they are answered, and as many that are before. */
async function comeAndGo(stack: Stack): Promise<void> {
  const session = openSession(stack);
  const streams = Array.from({ length: 90 }, () => ask(session));
  for (const stream of streams) stream.end(message);
  const [hasty, patient] = [streams.slice(45), streams.slice(0, 45)];
  for (const stream of hasty) stream.close(constants.NGHTTP2_CANCEL);
  const answered = patient.map((stream) => new Promise((resolve) => stream.once('response', resolve)));
  await Promise.all(answered);
  for (const stream of patient) stream.close(constants.NGHTTP2_CANCEL);
  session.destroy();
}

/** Waits until so many watches are open. */
async function subscribersAre(stack: Stack, count: number): Promise<void> {
  const open = async () =>
    (await stack.metrics('provisioner'))?.sum('slipway_provisioner_events_subscribers');
  await expect.poll(open, { timeout: 20_000 }).toBe(count);
}
