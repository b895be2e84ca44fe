import { Metadata } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { type NodeMetadata, readNodeMetadata, writeNodeMetadata } from './node-metadata.js';

const values: NodeMetadata = {
  proof: 'ab'.repeat(32),
  identity: 'node1.example.net',
  boot: '6f2b6e0e-44f1-4f2c-9d5c-1f0e4c9a7a11',
  site: 'default',
  provisioner: 'p1',
  run: '01890a5d-ac96-774b-bcce-b302099a8057',
  fence: 2n ** 63n - 1n,
};

test('what is written is read back, fences beyond 2^53 among it', () => {
  expect(readNodeMetadata(writeNodeMetadata(values))).toEqual(values);
});

test('metadata that is not there reads as empty', () => {
  expect(readNodeMetadata(new Metadata())).toEqual({
    proof: '',
    identity: '',
    boot: '',
    site: '',
    provisioner: '',
    run: '',
    fence: undefined,
  });
});

test.each(['', '-1', '1.5', '0x10', '1e3', ' 1', '9223372036854775808', '9'.repeat(400)])(
  'the fence %j is none',
  (text) => {
    const metadata = writeNodeMetadata(values);
    metadata.set('slipway-fence', text);
    expect(readNodeMetadata(metadata).fence).toBeUndefined();
  },
);

test('a key that was sent twice counts for nothing', () => {
  const metadata = writeNodeMetadata(values);
  metadata.add('slipway-identity', 'node2.example.net');
  expect(readNodeMetadata(metadata).identity).toBe('');
});

test('a value of absurd length counts for nothing', () => {
  const metadata = writeNodeMetadata({ ...values, site: 'x'.repeat(10_000) });
  expect(readNodeMetadata(metadata).site).toBe('');
});
