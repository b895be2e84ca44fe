// Finds the end of an answer in what a long-lived program writes: the first line end.

const lineEnd = 0x0a;

/** One answer as it comes in. It keeps none of it. */
export class Answer {
  readonly #limit: number;
  #bytes = 0;
  #isComplete = false;
  #isAlone = true;
  #mayBeTwo = false;

  /** @param limit how many bytes the line may have */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether any byte of it has come. */
  get hasBegun(): boolean {
    return this.#bytes > 0 || this.#isComplete;
  }

  /** Whether its line end has come. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#limit;
  }

  /** Whether nothing at all came after its line end. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** Whether what came after its line end is more than white space, so that nobody can say which is the answer. */
  get mayBeTwo(): boolean {
    return this.#mayBeTwo;
  }

  /** Takes the next piece of what the program wrote, and returns the part of it that belongs to the line. */
  push(chunk: Buffer): Buffer {
    if (this.#isComplete) {
      this.#pushExcess(chunk);
      return chunk.subarray(0, 0);
    }
    const end = chunk.indexOf(lineEnd);
    const part = end === -1 ? chunk : chunk.subarray(0, end);
    this.#bytes += part.length;
    if (end !== -1) {
      this.#isComplete = true;
      this.#pushExcess(chunk.subarray(end + 1));
    }
    return part;
  }

  #pushExcess(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#isAlone = false;
    this.#mayBeTwo ||= !chunk.every(isWhiteSpace);
  }
}

/** As JSON has it. */
function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === lineEnd || byte === 0x0d;
}
