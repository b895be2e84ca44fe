// How a case of what is trusted or refused is judged: a refusal must be for the case's own fault.

import { TrustError, type TrustFault } from '../../../shared/trust/trust-error.js';
import type { Verdict } from '../checker.js';

/** @returns what came of it, or with which fault it was refused */
export async function outcome<T>(
  attempt: () => T | Promise<T>,
): Promise<{ value: T } | { fault: TrustFault }> {
  try {
    return { value: await attempt() };
  } catch (error) {
    if (error instanceof TrustError) return { fault: error.fault };
    throw error;
  }
}

/**
 * @param own the faults that the case has, as somebody else than the service found them; empty where nobody knows
 *   why it is to be refused: then any fault will do but that it cannot be read
 */
export async function refusedFor(own: readonly TrustFault[], attempt: () => unknown): Promise<Verdict> {
  const got = await outcome(attempt);
  if (!('fault' in got)) return { kind: 'FAILED', message: 'expected a refusal, got none' };
  if (own.length === 0) {
    if (got.fault !== 'MALFORMED') return { kind: 'PASSED', note: 'refused; for which fault is not known' };
    return { kind: 'FAILED', message: 'refused as MALFORMED, and it is not' };
  }
  if (own.includes(got.fault)) return { kind: 'PASSED' };
  return { kind: 'FAILED', message: `expected a refusal for ${own.join(' or ')}, got one for ${got.fault}` };
}

/** Passes where nothing is refused. */
export async function accepted(attempt: () => unknown): Promise<Verdict> {
  const got = await outcome(attempt);
  if (!('fault' in got)) return { kind: 'PASSED' };
  return { kind: 'FAILED', message: `expected no refusal, got one for ${got.fault}` };
}
