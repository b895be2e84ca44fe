// The names of things that must not be mixed up: nodes, boots and runs. What a name means is DESIGN's
// matter; this file only says which strings are names.

import { v4, v7 } from 'uuid';

/** A node's name, checked and folded by {@link parseIdentity}. */
export type Identity = string & { readonly __brand: 'Identity' };

/** One life of an agent process: a UUID, lower case. */
export type BootId = string & { readonly __brand: 'BootId' };

/** One pass of the sequence over one host: a UUIDv7, lower case. */
export type RunId = string & { readonly __brand: 'RunId' };

// Checked before it is folded: folding makes ASCII letters of some that are none, such as the Kelvin sign.
const identityPattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_-])?$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Folds upper case and checks: 1 to 253 of `[a-z0-9._-]`, first a letter or digit, no trailing dot
 * (design, section 1).
 *
 * @returns the identity, or undefined where the text is none
 */
export function parseIdentity(text: string): Identity | undefined {
  return identityPattern.test(text) ? (text.toLowerCase() as Identity) : undefined;
}

/** @returns the boot id in lower case, or undefined where the text is no UUID */
export function parseBootId(text: string): BootId | undefined {
  const folded = text.toLowerCase();
  return uuidPattern.test(folded) ? (folded as BootId) : undefined;
}

/** @returns the run id in lower case, or undefined where the text is no UUID */
export function parseRunId(text: string): RunId | undefined {
  const folded = text.toLowerCase();
  return uuidPattern.test(folded) ? (folded as RunId) : undefined;
}

/** Makes a boot id: random. */
export function newBootId(): BootId {
  return v4() as BootId;
}

/** Makes a run id: UUIDv7, so that run ids sort by the time of their start. */
export function newRunId(): RunId {
  return v7() as RunId;
}
