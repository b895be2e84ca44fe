// Configuration does not change after it was read; the type and the object both say so.

import type { Secret } from '../secret.js';

// biome-ignore lint/complexity/noBannedTypes: any function at all, to leave it as it is
type Untouched = string | number | boolean | bigint | symbol | null | undefined | Function | Secret | RegExp;

/** T with every property, at any depth, readonly. */
export type DeepReadonly<T> = T extends Untouched ? T : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** Freezes maps and lists at any depth, in place; instances of classes look after themselves. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (Array.isArray(value) || isMap(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value as DeepReadonly<T>;
}

/** Whether a value is a plain object, as YAML's maps are. */
export function isMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
