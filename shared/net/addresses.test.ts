import { expect, test } from 'vitest';
import { AddressError, formatHostPort, parseHostPort, parseIp, unmapIp } from './addresses.js';

test.each([
  ['0.0.0.0:7410', '0.0.0.0', 7410],
  ['localhost:0', 'localhost', 0],
  ['[::1]:65535', '::1', 65535],
  ['[::ffff:10.0.0.1]:1', '::ffff:10.0.0.1', 1],
  ['node_1.example.net:80', 'node_1.example.net', 80],
  ['example.net.:80', 'example.net.', 80],
  ['1and1.example:80', '1and1.example', 80],
])('%s is a host and a port', (text, host, port) => {
  expect(parseHostPort(text)).toEqual({ host, port });
});

test.each([
  ['', 'has no port'],
  ['localhost', 'has no port'],
  ['[::1]', 'ambiguous'],
  ['::1:7410', 'ambiguous'],
  [':7410', 'has no host'],
  ['[]:7410', 'has no host'],
  ['localhost:', 'is no port'],
  ['localhost:65536', 'is no port'],
  ['localhost:-1', 'is no port'],
  ['localhost:http', 'is no port'],
  ['localhost: 80', 'is no port'],
  ['[fe80::1%eth0]:80', 'is no IPv6 address'],
  ['[10.0.0.1]:80', 'is no IPv6 address'],
  ['127.1:80', 'is no host name'],
  ['010.0.0.1:80', 'is no host name'],
  ['2130706433:80', 'is no host name'],
  ['0x7f000001:80', 'is no host name'],
  ['256.0.0.1:80', 'is no host name'],
  ['http://localhost:80', 'ambiguous'],
  ['a b:80', 'is no host name'],
  ['-a:80', 'is no host name'],
  [`${'a'.repeat(300)}:80`, 'is no host name'],
])('%j is refused: %s', (text, why) => {
  expect(() => parseHostPort(text)).toThrow(AddressError);
  expect(() => parseHostPort(text)).toThrow(why);
});

test('IPv6 is written in brackets', () => {
  expect(formatHostPort('::1', 7410)).toBe('[::1]:7410');
  expect(formatHostPort('10.0.0.1', 7410)).toBe('10.0.0.1:7410');
});

test('an IPv4 address mapped into IPv6 is the IPv4 address', () => {
  expect(`${parseIp('::ffff:192.0.2.7')}`).toBe('192.0.2.7');
  expect(unmapIp('::ffff:c000:207')).toBe('192.0.2.7');
  expect(unmapIp('2001:DB8::1')).toBe('2001:db8::1');
  expect(unmapIp('no address')).toBe('no address');
});

test('only strict forms of IP addresses are read', () => {
  for (const text of ['127.1', '0177.0.0.1', '2130706433', 'fe80::1%lo', '']) {
    expect(parseIp(text)).toBeUndefined();
  }
});
