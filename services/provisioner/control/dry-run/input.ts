// What a dry run has to know of the node beside the helper's reply: it is read from the helper's own input, which says
// all of it. What is missing or odd there limits what can be told and stops nothing.

import { z } from 'zod';
import { parseJson } from '../../helper/json.js';

/** Of a node, as the helper's input describes it. */
export interface DescribedNode {
  /** As it stands there; empty where it does not. */
  readonly identity: string;
  /** Hex ed25519 public key; undefined where there is none. */
  readonly publicKey: string | undefined;
  /** Release; empty where the inventory does not say. */
  readonly version: string;
  readonly upgradable: boolean;
  /** Whether it is in provisioning mode unless its configuration says otherwise: `chpd` of its token. */
  readonly provisioningByDefault: boolean;
}

/** The input is no JSON object. The message says where and what was expected. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const text = z.string().catch('');
const flag = z.boolean().catch(false);
const release = z.object({ version: text, upgradable: flag });

/** Whatever else there is is not looked at, and there may be much of it. */
const shape = z.object({
  identity: text,
  ed25519_pubkey: z.object({ public_key: text }).catch({ public_key: '' }),
  // Helpers of Choria Provisioner get it as a text that holds JSON.
  inventory: z.string().transform(parsed).pipe(release).catch({ version: '', upgradable: false }),
  jwt: z.object({ chpd: flag }).catch({ chpd: false }),
});

/** @throws InputError */
export function readInput(input: string): DescribedNode {
  const { identity, ed25519_pubkey: key, inventory, jwt } = shape.parse(objectOf(input));
  return {
    identity,
    publicKey: key.public_key === '' ? undefined : key.public_key,
    ...inventory,
    provisioningByDefault: jwt.chpd,
  };
}

function objectOf(input: string): object {
  const value = parsed(input);
  if (value === undefined) throw new InputError(problemOf(input));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new InputError(`expected an object, got ${nameOf(value)}`);
  }
  return value;
}

/** Told by a reader that is slow, and knows the place. */
function problemOf(input: string): string {
  try {
    parseJson(input);
    return 'not JSON';
  } catch (error) {
    return error instanceof Error ? error.message : 'not JSON';
  }
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

/** @returns undefined where it is not JSON */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
