import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type CsrWishes, faultIn, makeCsr, makeCsrDer, toPem } from '../../../test/fakes/csr-maker.js';
import { der, oid, sequence, set } from '../../../test/fakes/der.js';
import { type AcceptedCsr, checkCsr } from './csr.js';
import { defaultDenyPatterns, parseDenyList } from './deny-list.js';

const identity = 'n1.example.net';
const denyList = parseDenyList(defaultDenyPatterns);

function check(csr: string, name = identity): AcceptedCsr {
  return checkCsr(csr, name, denyList);
}

function faultOf(wishes: CsrWishes | string, name?: string): string {
  return faultIn(() => check(typeof wishes === 'string' ? wishes : makeCsr(wishes), name));
}

describe('requests as tools make them', () => {
  const folder = new URL('./testdata/', import.meta.url);
  test.each(readdirSync(folder))('%s is accepted', (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    expect(() => check(text)).not.toThrow();
  });

  test('what is asked for is told', () => {
    const csr = makeCsr({ dns: [identity, 'Alt.example.net'] });
    expect(check(csr)).toEqual({
      key: 'EC P-256',
      publicKeyPem: expect.stringContaining('-----BEGIN PUBLIC KEY-----'),
      dnsNames: [identity, 'Alt.example.net'],
    });
  });

  test('the key that is told is the one in the request', () => {
    const keys = generateKeyPairSync('ed25519');
    const csr = makeCsr({ keys, digest: null, signatureAlgorithm: sequence(oid('1.3.101.112')) });
    const { key, publicKeyPem } = check(csr);
    expect(key).toBe('ed25519');
    expect(createPublicKey(publicKeyPem).equals(keys.publicKey)).toBe(true);
  });
});

describe('the PEM block', () => {
  const csr = makeCsr();

  test('may follow other text and end with white space, in lines of either kind', () => {
    expect(faultOf(`Certificate Request:\n  Data:\n${csr} \n\t\r\n`)).toBe('accepted');
    expect(faultOf(csr.replaceAll('\n', '\r\n'))).toBe('accepted');
    expect(faultOf(csr.trimEnd())).toBe('accepted');
    expect(faultOf(toPem(makeCsrDer(), 'NEW CERTIFICATE REQUEST'))).toBe('accepted');
  });

  test.each([
    ['', 'PEM'],
    ['-----BEGIN', 'PEM'],
    ['garbage', 'PEM'],
    [csr + csr, 'PEM'],
    [toPem(Buffer.of(1), 'PRIVATE KEY') + csr, 'PEM'],
    [toPem(makeCsrDer(), 'CERTIFICATE'), 'PEM'],
    [csr.replace('-----END CERTIFICATE REQUEST-----', ''), 'PEM'],
    [csr.replace('END CERTIFICATE', 'END NEW CERTIFICATE'), 'PEM'],
    [csr.replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n'), 'PEM'],
    [csr.replace('\n', '\n*'), 'PEM'],
    [csr.replace('\n', '\n===='), 'PEM'],
    [` ${csr}`, 'PEM'],
    [`${csr}more`, 'TRAILING_DATA'],
    [toPem(Buffer.concat([makeCsrDer(), Buffer.of(0)])), 'TRAILING_DATA'],
    ['x'.repeat(65_537), 'TOO_LARGE'],
  ])('is refused: %.60s… (%s)', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });
});

describe('the form', () => {
  test.each<[string, CsrWishes]>([
    ['no request at all', { tamper: () => sequence() }],
    ['garbage', { tamper: () => Buffer.from('garbage') }],
    ['cut short', { tamper: (request) => request.subarray(0, -1) }],
    ['version 2', { version: der(0x02, Buffer.of(1)) }],
    ['a part too many', { changeInfo: (info) => der(0x30, info.subarray(3), der(0x05)) }],
    ['a length that is indefinite', { tamper: indefinite }],
    ['a length longer than it need be', { tamper: longLength }],
    ['a subject that is no sequence', { subject: set() }],
    ['an attribute without values', { attributes: [sequence(oid('1.2.3'))] }],
  ])('%s is malformed', (_what, wishes) => {
    expect(faultOf(wishes)).toBe('MALFORMED');
  });

  test('attributes may be left out', () => {
    expect(faultOf({ attributes: undefined })).toBe('accepted');
  });

  test('other attributes are let pass', () => {
    const challenge = sequence(oid('1.2.840.113549.1.9.7'), set(der(0x13, Buffer.from('secret'))));
    const system = sequence(oid('1.3.6.1.4.1.311.13.2.3'), set(der(0x16, Buffer.from('10.0.1'))));
    expect(faultOf({ attributes: [challenge, system] })).toBe('accepted');
  });
});

/** The outermost length and its end, as BER has them and DER does not. */
function indefinite(request: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x30, 0x80), request.subarray(3), Buffer.of(0, 0)]);
}

function longLength(request: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x30, 0x82, 0), request.subarray(2)]);
}

describe('the deny list', () => {
  test.each(['bob.mcollective', 'BOB.McOllective', 'bob.mcollective.', 'x.privileged.choria'])(
    '%s is denied',
    (name) => {
      expect(() => check(makeCsr({ dns: [identity, name] }))).toThrow(
        expect.objectContaining({
          fault: 'DENIED',
          reason: 'CSR_DENIED',
          message: expect.stringContaining(JSON.stringify(name)),
        }),
      );
    },
  );

  test('denies a node by its own name', () => {
    expect(faultOf({ commonNames: ['bob.choria'] }, 'bob.choria')).toBe('DENIED');
  });

  test('is seen by names in lower case and as they are', () => {
    const upper = parseDenyList(['[A-Z]']);
    expect(() => checkCsr(makeCsr({ dns: ['Bob'] }), identity, upper)).toThrow(/"Bob" is denied/);
  });

  test('that is empty denies nothing', () => {
    expect(() => checkCsr(makeCsr({ dns: ['bob.mcollective'] }), identity, parseDenyList([]))).not.toThrow();
  });
});

test('a refusal names what it refuses in one short line', () => {
  const name = `x\n${'y'.repeat(5_000)}`;
  expect(() => check(makeCsr({ commonNames: [name] }))).toThrow(
    expect.objectContaining({ reason: 'CSR_INVALID', message: expect.stringMatching(/^[^\n]{1,250}$/) }),
  );
});
