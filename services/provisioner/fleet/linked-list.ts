// A doubly linked list: first, last, and removal of any place, all in constant time.

/** A place in a list. It belongs to the list that made it. */
export interface Place<T> {
  readonly value: T;
}

interface Link<T> extends Place<T> {
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
  in: LinkedList<T> | undefined;
}

export class LinkedList<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Adds at the tail. */
  push(value: T): Place<T> {
    const link: Link<T> = { value, previous: this.#last, next: undefined, in: this };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** Takes the first value out; undefined where there is none. */
  shift(): T | undefined {
    const first = this.#first;
    if (first !== undefined) this.remove(first);
    return first?.value;
  }

  /** Takes a place out. A place that was taken out already, or of another list, changes nothing. */
  remove(place: Place<T>): void {
    const link = place as Link<T>;
    if (link.in !== this) return;
    if (link.previous === undefined) this.#first = link.next;
    else link.previous.next = link.next;
    if (link.next === undefined) this.#last = link.previous;
    else link.next.previous = link.previous;
    link.in = undefined;
    link.previous = undefined;
    link.next = undefined;
    this.#size -= 1;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let link = this.#first; link !== undefined; link = link.next) yield link.value;
  }
}
