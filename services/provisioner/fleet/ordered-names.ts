// Names in their order, which come and go one by one: in blocks, so that a change moves few of them and a page is read
// without sorting any.

/** A block that grows beyond this is split in two. */
const largestBlock = 512;

export class OrderedNames<T extends string> {
  /** None is empty. All names of one are before those of the next. */
  readonly #blocks: T[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A name that is there already changes nothing. */
  add(name: T): void {
    const index = this.#blockOf(name);
    const block = this.#blocks[index];
    if (block === undefined) {
      this.#blocks.push([name]);
      this.#size += 1;
      return;
    }
    const place = firstFrom(block, name);
    if (block[place] === name) return;
    block.splice(place, 0, name);
    this.#size += 1;
    if (block.length > largestBlock) this.#blocks.splice(index + 1, 0, block.splice(largestBlock / 2));
  }

  /** A name that is not there changes nothing. */
  delete(name: T): void {
    const index = this.#blockOf(name);
    const block = this.#blocks[index];
    if (block === undefined) return;
    const place = firstFrom(block, name);
    if (block[place] !== name) return;
    block.splice(place, 1);
    this.#size -= 1;
    if (block.length === 0) this.#blocks.splice(index, 1);
  }

  /** The names from `start` on, which need not be one of them. Not to be used across changes. */
  *from(start: string): IterableIterator<T> {
    for (let index = this.#blockOf(start); index < this.#blocks.length; index++) {
      const block = this.#blocks[index] ?? [];
      for (let place = firstFrom(block, start); place < block.length; place++) {
        const name = block[place];
        if (name !== undefined) yield name;
      }
    }
  }

  /** The block that the name is in or belongs into: the last that does not begin behind it. */
  #blockOf(name: string): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.[0] ?? '') <= name) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** Index of the first name that is not before `name`. */
function firstFrom(block: readonly string[], name: string): number {
  let [low, high] = [0, block.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((block[middle] ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
