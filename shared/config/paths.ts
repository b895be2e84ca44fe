// Makes relative paths absolute before the settings are checked. Which settings are paths is said by the fields
// (`path()`, `resolving()`), in their metadata.

import { z } from 'zod';
import { isMap } from './freeze.js';
import { coreOf } from './schema.js';

/** How a field makes a text absolute: {@link resolvePaths} calls it with the folder and the text. */
export type ResolveIn = (folder: string, value: string) => string;

/** A copy of the settings in which every path is absolute, from `folder`. */
export function resolvePaths(value: unknown, schema: z.core.$ZodType, folder: string): unknown {
  const core = coreOf(schema);
  if (core instanceof z.ZodObject && isMap(value)) {
    const entries = Object.entries(value).map(([key, inner]) => {
      const field = Object.hasOwn(core.shape, key) ? core.shape[key] : undefined;
      return [key, field === undefined ? inner : resolvePaths(inner, field, folder)];
    });
    return Object.fromEntries(entries);
  }
  if (core instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => resolvePaths(element, core.element, folder));
  }
  if (core instanceof z.ZodArray && typeof value === 'string')
    return resolvePaths(value, core.element, folder);
  const resolveIn = core instanceof z.ZodString ? core.meta()?.resolveIn : undefined;
  return typeof resolveIn === 'function' && typeof value === 'string' && value !== ''
    ? (resolveIn as ResolveIn)(folder, value)
    : value;
}
