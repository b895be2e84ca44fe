// Who is next. First in, first out, and over half full in turns of the source addresses, so that one
// source cannot starve the rest (design, section 5). Every operation takes constant time.

import { LinkedList, type Place } from './linked-list.js';

interface Source<T> {
  readonly name: string;
  readonly entries: LinkedList<Entry<T>>;
  /** Its place in the ring of turns. */
  turn: Place<string>;
}

interface Entry<T> {
  readonly value: T;
  readonly source: Source<T>;
}

interface Places<T> {
  readonly entry: Entry<T>;
  readonly inLine: Place<Entry<T>>;
  readonly inSource: Place<Entry<T>>;
}

/** A queue in which each value stands at most once. */
export class Queue<T> {
  readonly #limit: number;
  readonly #line = new LinkedList<Entry<T>>();
  /** Names of the sources that have entries; whose turn is next stands first. */
  readonly #turns = new LinkedList<string>();
  readonly #sources = new Map<string, Source<T>>();
  readonly #places = new Map<T, Places<T>>();

  /** @param limit how many values it is meant for: over half of that it is over half full */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#line.size;
  }

  /** The value that stands first in line. */
  get oldest(): T | undefined {
    return this.#line.first?.value;
  }

  /** Adds at the tail, also beyond the limit: who calls knows what has to fit. */
  pushTail(value: T, sourceName: string): void {
    if (this.#places.has(value)) return;
    const source = this.#source(sourceName);
    const entry = { value, source };
    this.#places.set(value, {
      entry,
      inLine: this.#line.push(entry),
      inSource: source.entries.push(entry),
    });
  }

  /** Takes the next value out; undefined where none waits. */
  take(): T | undefined {
    const next = this.#next();
    if (next === undefined) return undefined;
    const { source, value } = next;
    // Every value taken costs its source its turn, also under half full: turns then are fair from the
    // first one that counts.
    this.#turns.remove(source.turn);
    source.turn = this.#turns.push(source.name);
    this.remove(value);
    return value;
  }

  /** The values in the order in which they would be taken if none came or went. Not to be used across changes. */
  *inTurn(): IterableIterator<T> {
    const yielded = new Set<Entry<T>>();
    for (const entry of this.#turnsOfSources()) {
      yielded.add(entry);
      yield entry.value;
    }
    for (const entry of this.#line) if (!yielded.has(entry)) yield entry.value;
  }

  /** Takes a value out wherever it stands. A value that is not there changes nothing. */
  remove(value: T): void {
    const places = this.#places.get(value);
    if (places === undefined) return;
    const { source } = places.entry;
    this.#places.delete(value);
    this.#line.remove(places.inLine);
    source.entries.remove(places.inSource);
    if (source.entries.size > 0) return;
    this.#turns.remove(source.turn);
    this.#sources.delete(source.name);
  }

  #next(): Entry<T> | undefined {
    if (this.#line.size * 2 <= this.#limit) return this.#line.first;
    const turn = this.#turns.first;
    return turn === undefined ? undefined : this.#sources.get(turn)?.entries.first;
  }

  /** What goes before the line, while it is over half full. */
  *#turnsOfSources(): IterableIterator<Entry<T>> {
    let left = this.#line.size;
    const others: IterableIterator<Entry<T>>[] = [];
    for (const name of this.#turns) {
      if (left * 2 <= this.#limit) return;
      const { entries } = this.#source(name);
      if (entries.first === undefined) continue;
      left -= 1;
      yield entries.first;
      if (entries.size > 1) others.push(entries[Symbol.iterator]());
    }
    for (const source of others) source.next();
    for (let round = others; round.length > 0; ) {
      const next: typeof round = [];
      for (const source of round) {
        if (left * 2 <= this.#limit) return;
        const { value, done } = source.next();
        if (done) continue;
        left -= 1;
        next.push(source);
        yield value;
      }
      round = next;
    }
  }

  #source(name: string): Source<T> {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const source: Source<T> = { name, entries: new LinkedList(), turn: this.#turns.push(name) };
    this.#sources.set(name, source);
    return source;
  }
}
