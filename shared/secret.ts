// A text that must not show up in logs, events, errors or JSON by accident. Whoever needs it asks for it.

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
