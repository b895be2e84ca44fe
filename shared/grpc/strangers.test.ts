import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Strangers } from './strangers.js';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress = '10.0.0.1';
  closed = false;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.closed = true;
    this.emit('close');
  }
}

function setUp(atMost: number) {
  const strangers = new Strangers(atMost);
  let port = 1000;
  const enter = (address = '10.0.0.2') => {
    const socket = new FakeSocket(address, ++port);
    strangers.enter(socket);
    return socket;
  };
  return { strangers, enter };
}

test('of too many connections the oldest one is closed, and no other', () => {
  const { enter } = setUp(2);
  const sockets = [enter(), enter(), enter(), enter()];
  expect(sockets.map(({ closed }) => closed)).toEqual([true, true, false, false]);
});

test('an address that has one keeps it, however many another has', () => {
  const { enter } = setUp(3);
  const alone = enter('10.0.0.9');
  const flood = [enter(), enter(), enter(), enter()];
  expect(alone.closed).toBe(false);
  expect(flood.map(({ closed }) => closed)).toEqual([true, true, false, false]);
});

test('whoever is known does not count, and is not closed', () => {
  const { strangers, enter } = setUp(1);
  const operator = enter();
  // The encrypted connection is another object with the same ends.
  strangers.known(new FakeSocket(operator.remoteAddress, operator.remotePort));
  const [first, second] = [enter(), enter()];
  expect([operator, first, second].map(({ closed }) => closed)).toEqual([false, true, false]);
});

test('what was closed makes room', () => {
  const { enter } = setUp(2);
  const [first, second] = [enter(), enter()];
  first.destroy();
  expect(enter().closed).toBe(false);
  expect(second.closed).toBe(false);
});
