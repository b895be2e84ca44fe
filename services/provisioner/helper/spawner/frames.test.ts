import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, FrameReader } from './frames.js';

test('frames come out as they went in, however the stream is cut', () => {
  const frame = fc.record({
    kind: fc.integer({ min: 0, max: 255 }),
    id: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    payload: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  });
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 })), (frames, cuts) => {
      let stream = Buffer.concat(frames.map(({ kind, id, payload }) => encodeFrame(kind, id, payload)));
      const reader = new FrameReader();
      const read = cuts.flatMap((cut) => {
        const piece = stream.subarray(0, cut);
        stream = stream.subarray(cut);
        return reader.push(piece);
      });
      expect([...read, ...reader.push(stream)]).toEqual(frames);
    }),
  );
});

test('a frame is given out as soon as its last byte is there', () => {
  const reader = new FrameReader();
  const bytes = encodeFrame(1, 7, Buffer.from('abc'));
  expect(reader.push(bytes.subarray(0, -1))).toEqual([]);
  expect(reader.push(bytes.subarray(-1))).toHaveLength(1);
  expect(reader.push(encodeFrame(2, 7, Buffer.alloc(0)))).toHaveLength(1);
});
