import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { provisioningFaults, serverFaults } from './token-faults.js';

interface Case {
  readonly name: string;
  readonly token: string;
  readonly key: { readonly value: string };
  readonly expected: string;
}

const file = JSON.parse(readFileSync(new URL('../jwt.json', import.meta.url), 'utf8'));
const cases: [string, Case, typeof serverFaults][] = [
  ...file.provisioning.map((vector: Case) => [vector.name, vector, provisioningFaults]),
  ...file.server.map((vector: Case) => [vector.name, vector, serverFaults]),
];

test.each(cases)('%s', (_name, { token, key, expected }, faultsOf) => {
  const faults = faultsOf(token, key.value, file.now_unix);
  expect(faults.length === 0 ? 'accept' : 'reject').toBe(expected);
});
