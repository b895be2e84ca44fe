import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  alternativeNames,
  dnsName,
  extensionRequest,
  makeCsr,
  makeCsrDer,
  toPem,
} from '../../../test/fakes/csr-maker.js';
import { der, sequence, set } from '../../../test/fakes/der.js';
import { checkCsr } from './csr.js';
import { defaultDenyPatterns, parseDenyList } from './deny-list.js';
import { CsrError } from './request/csr-error.js';

// Thousands of requests, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const identity = 'n1.example.net';
const denyList = parseDenyList(defaultDenyPatterns);

/** Whether it is accepted. Whatever is thrown must be a refusal; nothing may take long. */
function accepts(csr: string): boolean {
  const started = performance.now();
  try {
    checkCsr(csr, identity, denyList);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(CsrError);
    return false;
  } finally {
    expect(performance.now() - started).toBeLessThan(10_000);
  }
}

const folder = new URL('./testdata/', import.meta.url);
const requests = [
  ...readdirSync(folder).map((file) => contentOf(readFileSync(new URL(file, folder), 'utf8'))),
  makeCsrDer({ dns: [identity, 'alt.example.net'] }),
];

function contentOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/.*-----BEGIN [A-Z ]*-----|-----END.*/gs, ''), 'base64');
}

test('a request of which any byte was changed is refused', () => {
  const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(fc.constantFrom(...requests), change, (request, { at, by }) => {
      const changed = Buffer.from(request);
      const place = at % changed.length;
      changed[place] = (changed[place] ?? 0) ^ by;
      expect(accepts(toPem(changed))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('a request of RSA-PSS of which any byte was changed is refused, also where no signature covers it', () => {
  const request = contentOf(readFileSync(new URL('openssl-rsa-pss.pem', folder), 'utf8'));
  for (let place = 0; place < request.length; place += 1) {
    for (const by of [0x01, 0x06, 0x08, 0x40, 0xff]) {
      const changed = Buffer.from(request);
      changed[place] = (changed[place] ?? 0) ^ by;
      expect(accepts(toPem(changed)), `byte ${place} changed by ${by}`).toBe(false);
    }
  }
});

test('a request that was cut, spliced or repeated is refused', () => {
  const splice = fc.record({
    at: fc.nat(),
    length: fc.nat({ max: 40 }),
    insert: fc.uint8Array({ maxLength: 40 }),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...requests),
      fc.array(splice, { minLength: 1, maxLength: 4 }),
      (request, splices) => {
        let changed = Buffer.from(request);
        for (const { at, length, insert } of splices) {
          const place = at % (changed.length + 1);
          changed = Buffer.concat([changed.subarray(0, place), insert, changed.subarray(place + length)]);
        }
        fc.pre(!changed.equals(request));
        expect(accepts(toPem(changed))).toBe(false);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('whatever text is given, it is refused', () => {
  const marks = fc.constantFrom(
    '-----BEGIN CERTIFICATE REQUEST-----\n',
    '-----END CERTIFICATE REQUEST-----',
    'MII=',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(marks, fc.string({ unit: 'binary' }))), (parts) => {
      expect(accepts(parts.join(''))).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test('values that nest without end are refused', () => {
  let nested = der(0x30);
  while (nested.length < 40_000) nested = der(0x30, nested);
  expect(accepts(toPem(nested))).toBe(false);
  expect(accepts(makeCsr({ subject: nested }))).toBe(false);
});

test('tens of thousands of values are refused or accepted in no time', () => {
  const names = Array.from({ length: 6_000 }, () => dnsName('a.b'));
  const many = extensionRequest([alternativeNames(...names)]);
  expect(accepts(makeCsr({ attributes: [many] }))).toBe(true);
  expect(accepts(makeCsr({ subject: sequence(...Array.from({ length: 15_000 }, () => set())) }))).toBe(false);
});

test('OpenSSL reads the same names in what is accepted', () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
  const names = fc.array(
    fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join('.')}.test`),
  );
  fc.assert(
    fc.property(names, (dns) => {
      fc.pre(dns.length > 0);
      const csr = makeCsr({ dns });
      const text = execFileSync('openssl', ['req', '-noout', '-text', '-verify'], {
        input: csr,
        stdio: ['pipe', 'pipe', 'ignore'],
      }).toString();
      const read = [...text.matchAll(/DNS:([^,\s]+)/g)].map((match) => match[1]);
      expect(checkCsr(csr, identity, denyList).dnsNames).toEqual(read);
    }),
    { numRuns: 20 },
  );
});
