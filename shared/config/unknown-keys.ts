// Keys of the file that no setting has: nearly always a typing error that would otherwise be silently ignored.

import { z } from 'zod';
import type { Problem } from './config-error.js';
import { isMap } from './freeze.js';
import { nearest } from './nearest.js';
import { coreOf } from './schema.js';

/** The dotted paths of all keys that the schema does not have, in the file's order. */
export function unknownKeys(value: unknown, schema: z.core.$ZodType, path = ''): string[] {
  const core = coreOf(schema);
  if (core instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((element, index) => unknownKeys(element, core.element, `${path}[${index}]`));
  }
  if (!(core instanceof z.ZodObject) || !isMap(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerPath = path === '' ? key : `${path}.${key}`;
    const field = Object.hasOwn(core.shape, key) ? core.shape[key] : undefined;
    return field === undefined ? [innerPath] : unknownKeys(inner, field, innerPath);
  });
}

/**
 * The problem that an unknown key is.
 *
 * @param known the paths of all settings and maps of settings
 */
export function unknownKeyProblem(path: string, known: readonly string[]): Problem {
  if (known.includes(path)) return { path, message: `expected to be nested: ${nested(path)}` };
  const meant = nearest(path, known) ?? nearestByName(path, known);
  return { path, message: `unknown setting${meant === undefined ? '' : `; did you mean ${meant}?`}` };
}

/** `tls.mode`, which names the setting everywhere else, as a file has to write it. */
function nested(path: string): string {
  return path.split('.').reduceRight((inner, part) => `${part}: ${inner === '' ? '…' : `{ ${inner} }`}`, '');
}

/** A key that is right but for standing in another map, as `mode` for `tls.mode`. */
function nearestByName(path: string, known: readonly string[]): string | undefined {
  const name = lastPart(path);
  return known.find((candidate) => candidate !== path && lastPart(candidate) === name);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
