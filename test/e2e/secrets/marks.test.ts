import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { findMarks, Mark } from './marks.js';

const text = Mark.text('a text');
const key = new Mark('a key', randomBytes(32));

test.for([
  ['as it is', (bytes: Buffer) => bytes],
  ['in part', (bytes: Buffer) => bytes.subarray(3, 19)],
  ['in JSON', (bytes: Buffer) => JSON.stringify({ value: [...bytes] })],
  ['in hex', (bytes: Buffer) => bytes.toString('hex')],
  ['in upper case hex', (bytes: Buffer) => bytes.toString('hex').toUpperCase()],
  ['as Node shows bytes', (bytes: Buffer) => `<Buffer ${bytes.toString('hex').replaceAll(/../g, '$& ')}>`],
  ['in base64', (bytes: Buffer) => bytes.toString('base64')],
  ['within base64', (bytes: Buffer) => Buffer.concat([Buffer.from('ab'), bytes]).toString('base64')],
  [
    'within a token',
    (bytes: Buffer) => `x.${Buffer.concat([Buffer.from('a'), bytes]).toString('base64url')}.`,
  ],
  ['in base64, in lines', (bytes: Buffer) => bytes.toString('base64').replaceAll(/.{20}/g, '$&\n')],
  ['in an URL', (bytes: Buffer) => encodeURIComponent(bytes.toString('base64'))],
] as const)('a secret is recognised %s', ([, encode]) => {
  for (const mark of [text, key]) {
    const content = Buffer.concat([
      Buffer.from('before '),
      Buffer.from(encode(mark.bytes)),
      Buffer.from(' after'),
    ]);
    expect(findMarks([text, key], [{ name: 'a log', content }])).toEqual([`${mark.name} is in a log`]);
  }
});

test('a text is recognised in JSON and in an URL', () => {
  const encoded = [JSON.stringify(`"${text.text}"`), encodeURIComponent(`<${text.text}>`)];
  for (const content of encoded) expect(findMarks([text], [{ name: 'a log', content }])).toHaveLength(1);
});
