// Collects a program's output in one growing buffer. A list of pieces would cost far more than the bytes
// themselves where a program writes them one at a time.

const firstCapacity = 4_096;

export class Bytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  push(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2, firstCapacity));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  get length(): number {
    return this.#length;
  }

  toString(): string {
    return this.#buffer.toString('utf8', 0, this.#length);
  }
}
