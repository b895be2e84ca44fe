// Checks what callers send before anything is done with it: every field that is wrong is named.

import { status } from '@grpc/grpc-js';
import { z } from 'zod';
import { type FieldViolation, RpcError } from '../../../shared/grpc/errors.js';

/**
 * @returns what the request says, checked
 * @throws RpcError INVALID_ARGUMENT with each field that is wrong, in proto spelling
 */
export function checked<T>(schema: z.ZodType<T>, request: unknown): T {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const violations = parsed.error.issues.map(({ path, message }) => ({
    field: path.map((part) => protoName(String(part))).join('.'),
    description: message,
  }));
  throw invalid(violations);
}

/** The most entries of a list that selects something. */
const mostChoices = 100;

/**
 * A list of what may be selected. One that is too long is refused as it is: a message has room for millions of entries,
 * and looking at each would keep everybody else waiting.
 */
export function choices<T extends z.ZodType>(item: T) {
  const isShort = (list: unknown) => Array.isArray(list) && list.length <= mostChoices;
  return z
    .custom<readonly z.input<T>[]>(isShort, { error: `expected at most ${mostChoices} entries` })
    .pipe(z.array(item));
}

/** The refusal of arguments that are wrong. */
export function invalid(violations: readonly FieldViolation[]): RpcError {
  const message = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  return new RpcError(status.INVALID_ARGUMENT, message, { reason: 'ARGUMENT_INVALID', violations });
}

function protoName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
