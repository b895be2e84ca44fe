import { expect, test } from 'vitest';
import { identityOf, loopbackHost, loopbackIndex, mostLoopbackNodes } from './names.js';

test('loopback addresses start at 127.1.0.1 and leave out .0 and .255', () => {
  expect([0, 253, 254, 254 * 256 - 1, 254 * 256].map(loopbackHost)).toEqual([
    '127.1.0.1',
    '127.1.0.254',
    '127.1.1.1',
    '127.1.255.254',
    '127.2.0.1',
  ]);
  expect(loopbackHost(mostLoopbackNodes - 1)).toBe('127.255.255.254');
});

test('each address leads back to its node, any other to none', () => {
  for (const index of [0, 1, 253, 254, 1_999, 65_024, mostLoopbackNodes - 1]) {
    expect(loopbackIndex(loopbackHost(index))).toBe(index);
  }
  for (const host of ['127.0.0.1', '127.1.0.0', '127.1.0.255', '127.01.0.1', '128.1.0.1', 'localhost', '']) {
    expect(loopbackIndex(host)).toBeUndefined();
  }
});

test('numbers go after the first label and sort like numbers', () => {
  expect(identityOf('node.swarm.local', 0)).toBe('node-00001.swarm.local');
  expect(identityOf('node', 99_998)).toBe('node-99999');
  expect(identityOf('node', 99_999)).toBe('node-100000');
  expect(identityOf(`${'a'.repeat(250)}`, 0)).toBeUndefined();
});

test('a name has its number after the first label, and the persona after the number', () => {
  expect(identityOf('web.example.net', 6)).toBe('web-00007.example.net');
  expect(identityOf('web.example.net', 6, 'slow')).toBe('web-00007-slow.example.net');
});
