import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DeadConnections } from './dead-connections.js';
import type { Connections } from './persona.js';

/** A connection to a node whose connections fare so; @returns both ends. */
async function connectTo(
  dead: DeadConnections,
  fare: Connections,
): Promise<{ peer: Socket; taken: boolean }> {
  const server = createServer({ pauseOnConnect: true });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') expect.fail('no port');
  const accepted = once(server, 'connection');
  const peer = connect(address.port, '127.0.0.1');
  onTestFinished(() => void peer.destroy());
  const [socket] = (await accepted) as [Socket];
  onTestFinished(() => void socket.destroy());
  return { peer, taken: dead.take(socket, fare) };
}

test('a connection to a node that is not dead is left alone', async () => {
  expect((await connectTo(new DeadConnections(), 'SERVED')).taken).toBe(false);
});

test('one that is refused is reset', async () => {
  const { peer, taken } = await connectTo(new DeadConnections(), 'RESET');
  const [error] = await once(peer, 'error');
  expect([taken, error.code]).toEqual([true, 'ECONNRESET']);
});

test('one that is held is never answered, whatever is said on it, and let go when its peer goes', async () => {
  const dead = new DeadConnections();
  const { peer, taken } = await connectTo(dead, 'SILENT');
  let heard = 0;
  peer.on('data', ({ length }) => {
    heard += length;
  });
  // More than the buffers between them hold.
  await new Promise<void>((resolve) => peer.write(Buffer.alloc(8 << 20), () => resolve()));
  expect([taken, dead.held, heard]).toEqual([true, 1, 0]);
  peer.resetAndDestroy();
  await expect.poll(() => dead.held).toBe(0);
});

test('at the end all are let go', async () => {
  const dead = new DeadConnections();
  const { peer } = await connectTo(dead, 'SILENT');
  dead.close();
  await once(peer, 'close');
  expect(dead.held).toBe(0);
});
