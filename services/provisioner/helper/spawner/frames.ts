// Cuts the byte stream between the service and the spawner into frames. What they mean is protocol.ts's
// matter. A frame is one byte of kind, four of id, four of length (big-endian), and that many bytes.

export interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly payload: Buffer;
}

const headerBytes = 9;

export function encodeFrame(kind: number, id: number, payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32BE(id, 1);
  frame.writeUInt32BE(payload.length, 5);
  payload.copy(frame, headerBytes);
  return frame;
}

/** Puts frames together from whatever pieces the stream brings. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #buffered = 0;
  #header: Buffer | undefined;

  /** Takes the next piece of the stream and returns the frames that it completes. */
  push(piece: Buffer): Frame[] {
    this.#pieces.push(piece);
    this.#buffered += piece.length;
    const frames: Frame[] = [];
    for (;;) {
      this.#header ??= this.#take(headerBytes);
      if (this.#header === undefined) return frames;
      const payload = this.#take(this.#header.readUInt32BE(5));
      if (payload === undefined) return frames;
      frames.push({ kind: this.#header.readUInt8(0), id: this.#header.readUInt32BE(1), payload });
      this.#header = undefined;
    }
  }

  #take(length: number): Buffer | undefined {
    if (this.#buffered < length) return undefined;
    const first = this.#pieces[0];
    // Pieces are joined once there are enough of them, so that a large payload is copied only once.
    const joined = first !== undefined && first.length >= length ? first : Buffer.concat(this.#pieces);
    const others = joined === first ? this.#pieces.slice(1) : [];
    this.#pieces = joined.length > length ? [joined.subarray(length), ...others] : others;
    this.#buffered -= length;
    return joined.subarray(0, length);
  }
}
