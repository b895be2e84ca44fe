// Writes what the helper reads on stdin: one JSON object and a newline (design, section 7).

import type { Inventory } from '../run/inventory.js';
import type { NodeCsr, NodeKey } from '../run/node.js';
import type { HelperInput } from './helper.js';

/**
 * Returns the helper's input. `inventory` is a string that holds JSON, as helpers of Choria Provisioner
 * expect it. What the node sent as JSON goes into it as it came, so that large integers and the order of
 * keys survive.
 */
export function encodeInput(input: HelperInput): string {
  const members = [
    member('identity', JSON.stringify(input.identity)),
    member('csr', input.csr === undefined ? 'null' : encodeCsr(input.csr)),
    member('ed25519_pubkey', input.key === undefined ? 'null' : encodeKey(input.key)),
    member('inventory', JSON.stringify(encodeInventory(input.inventory))),
    member('jwt', input.claimsJson ?? 'null'),
  ];
  return `{${members.join(',')}}\n`;
}

function encodeCsr({ csrPem, publicKeyPem, sslDir }: NodeCsr): string {
  return JSON.stringify({ csr: csrPem, public_key: publicKeyPem, ssldir: sslDir });
}

function encodeKey({ publicKey, directory, signature }: NodeKey): string {
  return JSON.stringify({ public_key: hex(publicKey), directory, signature: hex(signature) });
}

function encodeInventory(inventory: Inventory): string {
  const members = [
    member('agents', JSON.stringify(inventory.agents)),
    member('classes', JSON.stringify(inventory.classes)),
    member('collectives', JSON.stringify(inventory.collectives)),
    member('data_plugins', JSON.stringify(inventory.dataPlugins)),
    member('facts', rawJson(inventory.factsJson, '{}')),
    member('machines', rawJson(inventory.machinesJson, '[]')),
    member('main_collective', JSON.stringify(inventory.mainCollective)),
    member('version', JSON.stringify(inventory.version)),
    member('upgradable', JSON.stringify(inventory.upgradable)),
  ];
  return `{${members.join(',')}}`;
}

function member(key: string, json: string): string {
  return `${JSON.stringify(key)}:${json}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** A node that has no facts or machines may leave the text empty; helpers look into them without asking. */
function rawJson(text: string, empty: string): string {
  return text.trim() === '' ? empty : text;
}
