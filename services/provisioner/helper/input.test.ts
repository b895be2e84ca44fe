import { expect, test } from 'vitest';
import type { Identity } from '../../../shared/identity.js';
import type { Inventory } from '../run/inventory.js';
import { encodeInput } from './input.js';

const identity = 'n1.example.net' as Identity;
const inventory: Inventory = {
  version: '0.29.4',
  upgradable: true,
  agents: ['rpcutil', 'choria_provision'],
  classes: ['roles::web'],
  collectives: ['mcollective'],
  mainCollective: 'mcollective',
  dataPlugins: ['agent'],
  machinesJson: '[]',
  factsJson: '{"os":{"family":"RedHat"}}',
};

test('the input is one line of JSON with all five keys', () => {
  const text = encodeInput({ identity, inventory });
  expect(text.endsWith('}\n')).toBe(true);
  expect(text.slice(0, -1)).not.toContain('\n');
  expect(Object.keys(JSON.parse(text))).toEqual(['identity', 'csr', 'ed25519_pubkey', 'inventory', 'jwt']);
  expect(JSON.parse(text)).toMatchObject({ identity, csr: null, ed25519_pubkey: null, jwt: null });
});

test('keys, request and claims are there where the node has them', () => {
  const text = encodeInput({
    identity,
    inventory,
    csr: { csrPem: 'CSR\n', publicKeyPem: 'PUBLIC\n', sslDir: '/etc/ssl' },
    key: { publicKey: Buffer.alloc(32, 0xab), signature: Buffer.alloc(64, 0xcd), directory: '/etc/node' },
    claimsJson: '{"iat":1796000000,"ou":"choria"}',
  });
  expect(text.slice(0, -1)).not.toContain('\n');
  expect(JSON.parse(text)).toMatchObject({
    csr: { csr: 'CSR\n', public_key: 'PUBLIC\n', ssldir: '/etc/ssl' },
    ed25519_pubkey: {
      public_key: 'ab'.repeat(32),
      directory: '/etc/node',
      signature: 'cd'.repeat(64),
    },
    jwt: { iat: 1_796_000_000, ou: 'choria' },
  });
});

test('the inventory is a string and is decoded once more', () => {
  const outer = JSON.parse(encodeInput({ identity, inventory }));
  expect(typeof outer.inventory).toBe('string');
  expect(JSON.parse(outer.inventory)).toEqual({
    agents: ['rpcutil', 'choria_provision'],
    classes: ['roles::web'],
    collectives: ['mcollective'],
    data_plugins: ['agent'],
    facts: { os: { family: 'RedHat' } },
    machines: [],
    main_collective: 'mcollective',
    version: '0.29.4',
    upgradable: true,
  });
});

test('facts and machines go in as they came', () => {
  const factsJson = '{"z":12345678901234567890,"10":1,"2":1.0,"z":"again","é":"\\u00e9 \\"\\\\"}';
  const machinesJson = ' [ {"id":9007199254740993} ] ';
  const outer = JSON.parse(encodeInput({ identity, inventory: { ...inventory, factsJson, machinesJson } }));
  expect(outer.inventory).toContain(`"facts":${factsJson},"machines":${machinesJson},`);
});

test('a node without facts or machines has empty ones', () => {
  const outer = JSON.parse(
    encodeInput({ identity, inventory: { ...inventory, factsJson: '', machinesJson: '' } }),
  );
  expect(JSON.parse(outer.inventory)).toMatchObject({ facts: {}, machines: [] });
});

test('quotes, line separators and lone surrogates in names cannot break the JSON', () => {
  const classes = ['"', '\\', '\n', '\u2028', '\ud800'];
  const outer = JSON.parse(encodeInput({ identity, inventory: { ...inventory, classes } }));
  expect(JSON.parse(outer.inventory).classes).toEqual(classes);
});
