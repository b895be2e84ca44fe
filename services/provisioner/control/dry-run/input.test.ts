import { describe, expect, test } from 'vitest';
import type { Identity } from '../../../../shared/identity.js';
import { encodeInput } from '../../helper/input.js';
import type { Inventory } from '../../run/inventory.js';
import { InputError, readInput } from './input.js';

const inventory: Inventory = {
  version: '1.2.3',
  upgradable: true,
  agents: [],
  classes: [],
  collectives: [],
  mainCollective: '',
  dataPlugins: [],
  machinesJson: '[]',
  factsJson: '{}',
};

describe('what a dry run reads from an input', () => {
  test('is what the helper of a node is told', () => {
    const key = { publicKey: Buffer.alloc(32, 0xab), signature: Buffer.alloc(64), directory: '/etc' };
    const input = encodeInput({
      identity: 'n1.example.net' as Identity,
      key,
      inventory,
      claimsJson: '{"chpd":true}',
    });
    expect(readInput(input)).toEqual({
      identity: 'n1.example.net',
      publicKey: 'ab'.repeat(32),
      version: '1.2.3',
      upgradable: true,
      provisioningByDefault: true,
    });
  });

  test.each([
    '{}',
    '{"identity":null,"ed25519_pubkey":null,"inventory":null,"jwt":null}',
    '{"identity":1,"ed25519_pubkey":"x","inventory":"{","jwt":[]}',
    '{"inventory":"[]"}',
    '{"inventory":{"version":"1.0"}}',
  ])('may be missing or odd: %s', (input) => {
    expect(readInput(input)).toEqual({
      identity: '',
      publicKey: undefined,
      version: '',
      upgradable: false,
      provisioningByDefault: false,
    });
  });

  test.each([
    ['', 'line 1, column 1: unexpected end of the text'],
    ['{\n"a":}', 'line 2, column 5: expected a JSON value'],
    ['[]', 'expected an object, got an array'],
    ['"x"', 'expected an object, got a string'],
    ['null', 'expected an object, got null'],
    ['true', 'expected an object, got true or false'],
    ['1', 'expected an object, got a number'],
    ['\ufeff{}', 'line 1, column 1: a byte order mark is not allowed'],
  ])('must be an object: %o', (input, message) => {
    expect(() => readInput(input)).toThrow(new InputError(message));
  });
});
