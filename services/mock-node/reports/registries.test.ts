import { beforeAll, beforeEach, expect, test } from 'vitest';
import { makeAuthority, type TestCertificate } from '../../../test/fakes/certificates.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { Registries, type RegistriesOptions } from './registries.js';

let authority: TestCertificate;
let warnings: string[];

beforeAll(async () => {
  authority = await makeAuthority();
});

beforeEach(() => {
  warnings = [];
});

function registriesOf(changes: Partial<RegistriesOptions> = {}): Registries {
  return new Registries({
    address: '127.0.0.1:1',
    tls: true,
    caPem: undefined,
    lingerMs: 0,
    clock: new FakeClock(),
    warn: (message) => warnings.push(message),
    ...changes,
  });
}

const boot = { certificate: undefined, token: undefined, caSha256: '' };

test('a node that does not know the CA of discovery does not report, which is said once', () => {
  const registries = registriesOf();
  expect(registries.open(boot)).toBeUndefined();
  expect(registries.open(boot)).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('give its certificate with --ca')]);
});

test('the CA is known from a file, or from the token', () => {
  expect(registriesOf({ caPem: authority.certificatePem }).open(boot)).toBeDefined();
  expect(registriesOf().open({ ...boot, caSha256: authority.sha256 })).toBeDefined();
  expect(warnings).toEqual([]);
});

test('without TLS there is nobody to know', () => {
  expect(registriesOf({ tls: false }).open(boot)).toBeDefined();
  expect(warnings).toEqual([]);
});
