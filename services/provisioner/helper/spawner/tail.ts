// Keeps the end of a stream and forgets the rest, so that a flood costs no memory.

export class Tail {
  readonly #limit: number;
  #kept: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes seen, kept or not. */
  get total(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    const joined = chunk.length >= this.#limit ? chunk : Buffer.concat([this.#kept, chunk]);
    // A copy, because a slice would hold on to the whole chunk.
    this.#kept = Buffer.from(joined.subarray(Math.max(joined.length - this.#limit, 0)));
  }

  /** What was kept, without a character that was cut in half. */
  toString(): string {
    let start = 0;
    if (this.#total > this.#kept.length) {
      while (start < 3 && ((this.#kept[start] ?? 0) & 0xc0) === 0x80) start += 1;
    }
    return this.#kept.toString('utf8', start);
  }
}
