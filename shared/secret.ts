// A text that must not show up in logs, events, errors or JSON by accident. Whoever needs it asks for it.

import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const mask = '[secret]';

/** Holds a secret text. Only {@link Secret.reveal} gives it; every way of printing it gives `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** @returns the text itself: for use, not for keeping elsewhere */
  reveal(): string {
    return this.#value;
  }

  /** Compares in constant time. */
  equals(other: Secret): boolean {
    return timingSafeEqual(digest(this.#value), digest(other.#value));
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}

/** Of one length, whatever the text has. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
