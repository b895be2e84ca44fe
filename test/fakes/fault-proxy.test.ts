import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../cli/launch/until.js';
import { parseHostPort } from '../../shared/net/addresses.js';
import { FakeClock } from './fake-clock.js';
import { FaultProxy, type FaultProxyOptions } from './fault-proxy.js';

/** A side of a connection, and all that it has heard. */
class Side {
  readonly socket: Socket;
  heard = '';
  /** Open: nothing has been said of an end. */
  state: 'OPEN' | 'ENDED' | 'RESET' = 'OPEN';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.heard += bytes;
    });
    socket.on('end', () => {
      this.state = 'ENDED';
    });
    socket.on('error', () => {
      this.state = 'RESET';
    });
    onTestFinished(() => void socket.destroy());
  }

  async hears(text: string): Promise<void> {
    await until(() => this.heard === text, { what: `${text} is heard`, timeoutMs: 5_000, everyMs: 1 });
  }

  async becomes(state: Side['state']): Promise<void> {
    await until(() => this.state === state, { what: `it is ${state}`, timeoutMs: 5_000, everyMs: 1 });
  }
}

class Bench {
  readonly server: Server;
  readonly proxy: FaultProxy;
  readonly #accepted: Side[] = [];

  private constructor(server: Server, proxy: FaultProxy) {
    this.server = server;
    this.proxy = proxy;
    server.on('connection', (socket) => this.#accepted.push(new Side(socket)));
  }

  static async start(options: Omit<FaultProxyOptions, 'target'> = {}): Promise<Bench> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const proxy = await FaultProxy.start({ target: `127.0.0.1:${address.port}`, ...options });
    onTestFinished(async () => {
      server.close();
      await proxy[Symbol.asyncDispose]();
    });
    return new Bench(server, proxy);
  }

  connect(): Side {
    return new Side(connect({ ...parseHostPort(this.proxy.address), allowHalfOpen: true }));
  }

  /** A connection that both sides have used. */
  async pair(): Promise<{ readonly client: Side; readonly server: Side }> {
    const client = this.connect();
    const place = this.#accepted.length;
    client.socket.write('hello');
    const server = await until(() => this.#accepted[place], { what: 'accepted', timeoutMs: 5_000 });
    await server.hears('hello');
    server.socket.write('welcome');
    await client.hears('welcome');
    return { client, server };
  }

  get accepted(): number {
    return this.#accepted.length;
  }

  swallows(bytes: number): Promise<unknown> {
    const look = () => this.proxy.counts.swallowed === bytes;
    return until(look, { what: `${bytes} bytes are swallowed`, timeoutMs: 5_000, everyMs: 1 });
  }
}

test('what both sides say passes, and is counted', async () => {
  const bench = await Bench.start();
  await bench.pair();
  await bench.pair();
  const { connections, open, toServer, toClient, swallowed } = bench.proxy.counts;
  expect({ connections, open, toServer, toClient, swallowed }).toEqual({
    connections: 2,
    open: 2,
    toServer: 10,
    toClient: 14,
    swallowed: 0,
  });
});

test('the end of one side is told to the other, which may still speak', async () => {
  const { client, server } = await (await Bench.start()).pair();
  client.socket.end();
  await server.becomes('ENDED');
  server.socket.end(', bye');
  await client.hears('welcome, bye');
  await client.becomes('ENDED');
});

test('a reset of one side reaches the other', async () => {
  const bench = await Bench.start();
  const { client, server } = await bench.pair();
  server.socket.resetAndDestroy();
  await client.becomes('RESET');
  await until(() => bench.proxy.counts.open === 0, { what: 'nothing is open', timeoutMs: 5_000 });
});

test('where nobody listens, whoever connects is cut off', async () => {
  const bench = await Bench.start();
  bench.server.close();
  await once(bench.server, 'close');
  const client = bench.connect();
  await client.becomes('RESET');
});

test('a latency delays each direction by its own time, and keeps the order when it ends', async () => {
  const clock = new FakeClock();
  const bench = await Bench.start({ clock });
  const { client, server } = await bench.pair();
  bench.proxy.set({ kind: 'LATENCY', toServerMs: 100, toClientMs: 0 });
  server.socket.write('!');
  await client.hears('welcome!');

  client.socket.write(' a');
  await until(() => clock.pendingTimers === 1, { what: 'it is on its way', timeoutMs: 5_000 });
  bench.proxy.set({ kind: 'PASS' });
  client.socket.end(' b');
  await clock.advance(99);
  expect([server.heard, bench.proxy.counts.toServer]).toEqual(['hello', 5]);
  await clock.advance(1);
  await server.hears('hello a b');
  await server.becomes('ENDED');
});

test('jitter makes a latency longer, by up to as much as was said', async () => {
  const clock = new FakeClock();
  const bench = await Bench.start({ clock, random: () => 0.5 });
  const { client, server } = await bench.pair();
  bench.proxy.set({ kind: 'LATENCY', toServerMs: 0, toClientMs: 100, jitterMs: 40 });
  server.socket.write('!');
  await until(() => clock.pendingTimers === 1, { what: 'it is on its way', timeoutMs: 5_000 });
  await clock.advance(119);
  expect(bench.proxy.counts.toClient).toBe(7);
  await clock.advance(1);
  await client.hears('welcome!');
});

test('a sender that is faster than the line waits, and nothing is lost', async () => {
  const clock = new FakeClock();
  const bench = await Bench.start({ clock });
  const { client, server } = await bench.pair();
  bench.proxy.set({ kind: 'LATENCY', toServerMs: 10, toClientMs: 0 });
  const bytes = 32 << 20;
  client.socket.end(Buffer.alloc(bytes, 'x'));
  await until(() => clock.pendingTimers === 1, { what: 'it is on its way', timeoutMs: 5_000 });
  expect(client.socket.writableLength).toBeGreaterThan(0);
  while (server.state === 'OPEN') await clock.advance(10);
  expect(server.heard.length).toBe(bytes + 'hello'.length);
});

test('a reset hits both sides, and whoever connects until it is over', async () => {
  const bench = await Bench.start();
  const { client, server } = await bench.pair();
  bench.proxy.set({ kind: 'RESET' });
  await client.becomes('RESET');
  await server.becomes('RESET');
  await bench.connect().becomes('RESET');
  expect(bench.accepted).toBe(1);
  bench.proxy.set({ kind: 'PASS' });
  await bench.pair();
});

test('a black hole accepts and swallows, also that a side has ended; and connections that were in it stay there', async () => {
  const bench = await Bench.start();
  const { client, server } = await bench.pair();
  bench.proxy.set({ kind: 'BLACK_HOLE' });
  const late = bench.connect();
  late.socket.write('anybody?');
  server.socket.end('hello?');
  await bench.swallows(14);
  bench.proxy.set({ kind: 'PASS' });
  client.socket.write('hello?');
  await bench.swallows(20);
  await bench.pair();
  expect([client.heard, client.state, late.state, server.heard]).toEqual([
    'welcome',
    'OPEN',
    'OPEN',
    'hello',
  ]);
  expect(bench.accepted).toBe(2);
});

test('a black hole in one direction leaves the other as it was', async () => {
  const bench = await Bench.start();
  const { client, server } = await bench.pair();
  bench.proxy.set({ kind: 'BLACK_HOLE', direction: 'TO_CLIENT' });
  client.socket.write('?');
  await server.hears('hello?');
  server.socket.write('!');
  await bench.swallows(1);
  client.socket.end();
  await server.becomes('ENDED');
  expect([client.heard, client.state]).toEqual(['welcome', 'OPEN']);
});

for (const gone of ['CLIENT', 'SERVER'] as const) {
  test(`the ${gone} is gone, and the other side is not told; who comes then is served`, async () => {
    const bench = await Bench.start();
    const pair = await bench.pair();
    const [lost, left] = gone === 'CLIENT' ? [pair.client, pair.server] : [pair.server, pair.client];
    bench.proxy.set({ kind: 'HALF_OPEN', gone });
    await lost.becomes('RESET');
    left.socket.write('are you there?');
    await bench.swallows(14);
    await bench.pair();
    expect(left.state).toBe('OPEN');
  });
}

test('what is on its way into a black hole is lost, and its timer is gone', async () => {
  const clock = new FakeClock();
  const bench = await Bench.start({ clock, mode: { kind: 'LATENCY', toServerMs: 1_000, toClientMs: 0 } });
  const client = bench.connect();
  client.socket.write('hello');
  await until(() => clock.pendingTimers === 1, { what: 'it is on its way', timeoutMs: 5_000 });
  bench.proxy.set({ kind: 'BLACK_HOLE' });
  expect([clock.pendingTimers, bench.proxy.counts.swallowed]).toEqual([0, 5]);
});

for (const mode of [{ kind: 'LATENCY', toServerMs: 1_000, toClientMs: 0 }, { kind: 'BLACK_HOLE' }] as const) {
  test(`closing leaves no socket and no timer, also with ${mode.kind}`, async () => {
    const clock = new FakeClock();
    const bench = await Bench.start({ clock });
    const { client, server } = await bench.pair();
    bench.proxy.set(mode);
    client.socket.write('on its way');
    const late = bench.connect();
    await until(() => bench.proxy.counts.open === 2, { what: 'it is accepted', timeoutMs: 5_000 });
    await bench.proxy[Symbol.asyncDispose]();
    for (const side of [client, server, late]) await side.becomes('RESET');
    expect([bench.proxy.counts.open, clock.pendingTimers]).toEqual([0, 0]);
  });
}
