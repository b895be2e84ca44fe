// A map in the order in which its entries were set, the oldest of which is at hand in constant time. A Map keeps that
// order too, but what was taken from its front stays there as a hole until it is made anew: to find its first entry may
// mean to pass as many holes as it has entries.

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

export class OldestFirst<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;

  get size(): number {
    return this.#entries.size;
  }

  /** The one that was set before all others; undefined where there is none. */
  get oldest(): { readonly key: K; readonly value: V } | undefined {
    return this.#oldest;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** It is the newest then, also where there was one with this key. */
  set(key: K, value: V): void {
    this.delete(key);
    const entry: Entry<K, V> = { key, value, older: this.#newest, newer: undefined };
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
    this.#entries.set(key, entry);
  }

  /** A key that is not there changes nothing. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const { older, newer } = entry;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
