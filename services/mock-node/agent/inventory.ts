// What a node of this program tells of itself. The facts hold what trips up careless readers: nesting, a
// number beyond 2^53, and an order of keys.

import type { Identity } from '../../../shared/identity.js';

export interface Inventory {
  readonly version: string;
  readonly upgradable: boolean;
  readonly agents: readonly string[];
  readonly classes: readonly string[];
  readonly collectives: readonly string[];
  readonly mainCollective: string;
  readonly dataPlugins: readonly string[];
  readonly machinesJson: string;
  readonly factsJson: string;
}

/** @returns the inventory of the node; a given identity has the same facts in every boot */
export function inventoryOf(identity: Identity, version: string, upgradable: boolean): Inventory {
  const [hostname = identity, ...domain] = identity.split('.');
  const serial = 9_007_199_254_740_993n + BigInt(hostname.replaceAll(/\D/g, '').slice(-9) || '0');
  const facts = [
    `"fqdn":${JSON.stringify(identity)}`,
    `"hostname":${JSON.stringify(hostname)}`,
    `"domain":${JSON.stringify(domain.join('.'))}`,
    `"os":{"name":"Debian","family":"Debian","release":{"major":"12","full":"12.5"}}`,
    `"processors":{"count":2,"isa":"x86_64"}`,
    `"memory":{"system":{"total_bytes":8589934592}}`,
    `"serial_number":${serial}`,
    `"uptime_seconds":42.5`,
  ];
  return {
    version,
    upgradable,
    agents: ['choria_provision', 'choria_util', 'discovery', 'rpcutil'],
    classes: [],
    collectives: ['provisioning'],
    mainCollective: 'provisioning',
    dataPlugins: ['choria', 'machine_state'],
    machinesJson: '[]',
    factsJson: `{${facts.join(',')}}`,
  };
}
