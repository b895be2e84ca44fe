// What a dry run has to know of the node beside the helper's reply: it is read from the helper's own input, which says
// all of it. What is missing or odd there limits what can be told and stops nothing.

import { z } from 'zod';
import { type JsonValue, parseJson } from '../../helper/json.js';

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

const object = z.record(z.string(), z.unknown()).catch({});
const text = z.string().catch('');
const flag = z.boolean().catch(false);

const shape = z.object({
  identity: text,
  ed25519_pubkey: object,
  // Helpers of Choria Provisioner get it as a text that holds JSON.
  inventory: z.string().transform(parsed).pipe(object).catch({}),
  jwt: object,
});

/** @throws InputError */
export function readInput(input: string): DescribedNode {
  const { identity, ed25519_pubkey: key, inventory, jwt } = shape.parse(objectOf(input));
  const publicKey = text.parse(key.public_key);
  return {
    identity,
    publicKey: publicKey === '' ? undefined : publicKey,
    version: text.parse(inventory.version),
    upgradable: flag.parse(inventory.upgradable),
    provisioningByDefault: flag.parse(jwt.chpd),
  };
}

function objectOf(input: string): unknown {
  let type: JsonValue['type'];
  try {
    ({ type } = parseJson(input));
  } catch (error) {
    throw new InputError(error instanceof Error ? error.message : 'not JSON', { cause: error });
  }
  if (type !== 'object') throw new InputError(`expected an object, got ${names[type]}`);
  return JSON.parse(input);
}

const names: Readonly<Record<Exclude<JsonValue['type'], 'object'>, string>> = {
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
