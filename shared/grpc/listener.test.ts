import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../logger.js';
import { ListenError } from '../net/listen-error.js';
import { openListener } from './listener.js';

const log = silentLogger();

/** Listens on a name that has these addresses; what connects is closed. */
async function listenOn(ips: readonly string[], port = 0) {
  const listener = await openListener(
    { host: 'some.example', port },
    (socket) => socket.destroy(),
    log,
    async () => ips,
  );
  onTestFinished(() => listener.close());
  return listener;
}

test('a name is listened on at each of its addresses that this machine has, on one port', async () => {
  const { port } = await listenOn(['127.0.0.2', '192.0.2.1', '127.0.0.3']);
  for (const host of ['127.0.0.2', '127.0.0.3']) {
    const socket = connect({ host, port }).resume();
    await once(socket, 'close');
  }
});

test('a name of other machines is refused, and so is one of whose addresses one is taken', async () => {
  await expect(listenOn(['192.0.2.1'])).rejects.toThrow(
    'cannot listen on some.example:0: it is no address of this machine',
  );
  const { port } = await listenOn(['127.0.0.3']);
  const second = listenOn(['127.0.0.2', '127.0.0.3'], port);
  await expect(second).rejects.toThrow(ListenError);
  await expect(second).rejects.toThrow('another program listens there already');
  await listenOn(['127.0.0.2'], port);
});

test('a name that does not resolve is refused', async () => {
  const lookup = () => Promise.reject(new Error('getaddrinfo ENOTFOUND some.example'));
  const opened = openListener({ host: 'some.example', port: 0 }, () => {}, log, lookup);
  await expect(opened).rejects.toThrow('cannot listen on some.example:0: that name has no address');
});

test('closing waits for the connections that are there', async () => {
  let accept: (socket: Socket) => void = () => {};
  const accepted = new Promise<Socket>((resolve) => {
    accept = resolve;
  });
  const listener = await openListener({ host: '127.0.0.1', port: 0 }, accept, log);
  connect(listener.port, '127.0.0.1').resume();
  const socket = await accepted;
  let closed = false;
  const closing = listener.close().then(() => {
    closed = true;
  });
  const refused = connect(listener.port, '127.0.0.1');
  await expect(once(refused, 'connect')).rejects.toThrow('ECONNREFUSED');
  expect(closed).toBe(false);
  socket.destroy();
  await closing;
});
