// Reads a zod schema as a list of settings: their dotted names and what each takes. The schema is the one place
// where settings are listed; the environment, suggestions and paths are derived from it here.

import { z } from 'zod';

/** A setting that takes a value, as opposed to a map of settings. */
export interface Setting {
  /** Dotted: `tls.mode`. */
  readonly path: string;
  /** What the setting takes, without defaults and transformations around it. */
  readonly schema: z.core.$ZodType;
}

/** All settings of a schema, in its order; maps are walked into. */
export function settingsOf(schema: z.ZodObject, prefix = ''): Setting[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const core = coreOf(field);
    const path = prefix + key;
    return core instanceof z.ZodObject ? settingsOf(core, `${path}.`) : [{ path, schema: core }];
  });
}

/** The schema of what is written in the file: without optional, default, transformation and the like. */
export function coreOf(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch
  ) {
    return coreOf(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) {
    return coreOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  }
  return schema;
}
