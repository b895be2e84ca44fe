import { expect, test } from 'vitest';
import { AddressError } from './addresses.js';
import { type Cidr, dialRefusal, type Lookup, parseCidr, resolveDialable } from './dial-policy.js';

const nowhere: Lookup = () => Promise.reject(new Error('ENOTFOUND'));

function networks(...texts: string[]): Cidr[] {
  return texts.map(parseCidr);
}

test.each([
  ['10.1.2.3', [], true],
  ['2001:db8::1', [], true],
  ['10.1.2.3', ['10.0.0.0/8'], true],
  ['11.1.2.3', ['10.0.0.0/8'], false],
  ['fd00::1', ['10.0.0.0/8', 'fd00::/8'], true],
  ['2001:db8::1', ['10.0.0.0/8'], false],
  ['192.0.2.7', ['192.0.2.7'], true],
  ['192.0.2.8', ['192.0.2.7'], false],
  ['127.0.0.1', [], false],
  ['127.0.0.1', ['10.0.0.0/8'], false],
  ['127.9.9.9', ['127.0.0.0/8'], true],
  ['::1', [], false],
  ['::1', ['::1'], true],
  ['0.0.0.0', ['0.0.0.0/0'], false],
  ['::', ['::/0'], false],
  ['169.254.169.254', ['0.0.0.0/0'], false],
  ['fe80::1', ['::/0'], false],
  ['224.0.0.1', ['0.0.0.0/0'], false],
  ['ff02::1', ['::/0'], false],
  ['255.255.255.255', ['0.0.0.0/0'], false],
  ['::ffff:127.0.0.1', [], false],
  ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
  ['::ffff:169.254.169.254', ['::/0'], false],
  ['no address', [], false],
])('%s with node_networks %j: dialable %s', (ip, list, dialable) => {
  expect(dialRefusal(ip, networks(...list)) === undefined).toBe(dialable);
});

test('a refusal is a sentence that names the setting', () => {
  expect(dialRefusal('11.1.2.3', networks('10.0.0.0/8'))).toBe('11.1.2.3 is outside node_networks');
  expect(dialRefusal('::ffff:127.0.0.1', [])).toBe(
    '127.0.0.1 is a loopback address and node_networks does not list it',
  );
});

test.each(['', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/', '10.0.0.0/-1', 'example.net/8'])(
  '%j is no network',
  (text) => {
    expect(() => parseCidr(text)).toThrow(AddressError);
  },
);

test('an address needs no resolver', async () => {
  expect(await resolveDialable('10.1.2.3:7430', [], nowhere)).toEqual({
    ok: true,
    ip: '10.1.2.3',
    port: 7430,
    address: '10.1.2.3:7430',
  });
  expect(await resolveDialable('[2001:db8::1]:7430', [], nowhere)).toMatchObject({
    address: '[2001:db8::1]:7430',
  });
});

test('a mapped address is dialled as what it is', async () => {
  expect(await resolveDialable('[::ffff:10.1.2.3]:7430', [], nowhere)).toMatchObject({
    address: '10.1.2.3:7430',
  });
});

test('a name is judged by the addresses that it has, and the one that passes is dialled', async () => {
  const lookup = () => Promise.resolve(['127.0.0.1', '10.1.2.3', '10.1.2.4']);
  expect(await resolveDialable('node.example.net:7430', [], lookup)).toMatchObject({
    ok: true,
    address: '10.1.2.3:7430',
  });
});

test('a name with none but refused addresses is refused', async () => {
  const lookup = () => Promise.resolve(['127.0.0.1', '169.254.169.254']);
  expect(await resolveDialable('node.example.net:7430', [], lookup)).toEqual({
    ok: false,
    kind: 'REFUSED',
    message: '169.254.169.254 is a link-local address and is never dialled',
  });
});

test('a name that does not resolve says so', async () => {
  expect(await resolveDialable('node.example.net:7430', [], nowhere)).toEqual({
    ok: false,
    kind: 'UNRESOLVED',
    message: 'node.example.net does not resolve: ENOTFOUND',
  });
});

test.each(['node.example.net', 'node.example.net:0', ':7430', '127.1:80'])(
  '%j cannot be dialled',
  async (text) => {
    expect(await resolveDialable(text, [], nowhere)).toMatchObject({ ok: false, kind: 'INVALID' });
  },
);
