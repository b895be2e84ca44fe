import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  alternativeNames,
  type CsrWishes,
  commonName,
  dnsName,
  extension,
  extensionRequest,
  makeCsr,
  makeCsrDer,
  toPem,
} from '../../../test/fakes/csr-maker.js';
import { bitString, der, oid, sequence, set } from '../../../test/fakes/der.js';
import { type AcceptedCsr, checkCsr } from './csr.js';
import { defaultDenyPatterns, parseDenyList } from './deny-list.js';
import { CsrError } from './request/csr-error.js';

const identity = 'n1.example.net';
const denyList = parseDenyList(defaultDenyPatterns);

function check(csr: string, name = identity): AcceptedCsr {
  return checkCsr(csr, name, denyList);
}

function faultOf(wishes: CsrWishes | string, name?: string): string {
  try {
    check(typeof wishes === 'string' ? wishes : makeCsr(wishes), name);
    return 'accepted';
  } catch (error) {
    if (error instanceof CsrError) return error.fault;
    throw error;
  }
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

describe('the key', () => {
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
  const sha256Rsa = sequence(oid('1.2.840.113549.1.1.11'), der(0x05));

  test.each([
    ['P-384', '1.2.840.10045.4.3.3', 'sha384'],
    ['P-521', '1.2.840.10045.4.3.4', 'sha512'],
  ])('may be on %s', (namedCurve, type, digest) => {
    const keys = generateKeyPairSync('ec', { namedCurve });
    expect(faultOf({ keys, digest, signatureAlgorithm: sequence(oid(type)) })).toBe('accepted');
  });

  test.each([
    [2047, 'KEY'],
    [2048, 'accepted'],
  ])('of RSA with %i bits is %s', (bits, fault) => {
    expect(faultOf({ keys: rsa(bits), signatureAlgorithm: sha256Rsa })).toBe(fault);
  });

  test.each([
    ['more than 8192 bits', Buffer.alloc(1025, 0x7f), Buffer.of(1, 0, 1)],
    ['60,000 bytes', Buffer.alloc(30_000, 0x7f), Buffer.of(1, 0, 1)],
    ['a negative modulus', Buffer.alloc(256, 0xf0), Buffer.of(1, 0, 1)],
    ['the exponent 1', Buffer.alloc(256, 0x7f), Buffer.of(1)],
    ['an even exponent', Buffer.alloc(256, 0x7f), Buffer.of(2)],
    ['an exponent of 33 bits', Buffer.alloc(256, 0x7f), Buffer.of(1, 0, 0, 0, 1)],
    ['an exponent of 8192 bits', Buffer.alloc(256, 0x7f), Buffer.alloc(1024, 0x7f)],
  ])('of RSA with %s is refused', (_what, modulus, exponent) => {
    const numbers = sequence(der(0x02, modulus), der(0x02, exponent));
    const publicKey = sequence(sequence(oid('1.2.840.113549.1.1.1'), der(0x05)), bitString(numbers));
    expect(faultOf({ publicKey, signatureAlgorithm: sha256Rsa })).toBe('KEY');
  });

  test.each([
    ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
    ['P-224', generateKeyPairSync('ec', { namedCurve: 'secp224r1' })],
    ['explicit parameters', generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' })],
    ['ed448', { ...generateKeyPairSync('ed448'), digest: null }],
    ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
  ])('of %s is refused', (_what, keys) => {
    expect(faultOf({ keys, digest: 'digest' in keys ? null : 'sha256' })).toBe('KEY');
  });

  test('that is no point of its curve is refused', () => {
    const point = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]);
    const type = sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'));
    expect(faultOf({ publicKey: sequence(type, bitString(point)) })).toBe('KEY');
  });

  test('with a compressed point is refused: nothing of Choria reads it', () => {
    const point = Buffer.concat([Buffer.of(2), Buffer.alloc(32, 1)]);
    const type = sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'));
    expect(faultOf({ publicKey: sequence(type, bitString(point)) })).toBe('KEY');
  });
});

describe('the signature', () => {
  test('by another key is refused', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(faultOf({ publicKey: other.publicKey.export({ format: 'der', type: 'spki' }) })).toBe('SIGNATURE');
  });

  test('over something else is refused', () => {
    const swapped = (request: Buffer) =>
      Buffer.from(request.toString('latin1').replace('n1.', 'n2.'), 'latin1');
    expect(faultOf({ tamper: swapped }, 'n2.example.net')).toBe('SIGNATURE');
  });

  test.each([
    ['1.2.840.10045.4.1', 'sha1'],
    ['1.2.3.4', 'sha256'],
    // RSA, and the key is none.
    ['1.2.840.113549.1.1.11', 'sha256'],
    ['1.3.101.112', 'sha256'],
  ])('of the algorithm %s is refused', (type, digest) => {
    expect(faultOf({ digest, signatureAlgorithm: sequence(oid(type)) })).toBe('SIGNATURE_ALGORITHM');
  });

  test('with SHA-1 is refused, also in RSA-PSS, where it is what is left out', () => {
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const sha1Rsa = sequence(oid('1.2.840.113549.1.1.5'), der(0x05));
    const pss = sequence(oid('1.2.840.113549.1.1.10'), sequence());
    expect(faultOf({ keys, digest: 'sha1', signatureAlgorithm: sha1Rsa })).toBe('SIGNATURE_ALGORITHM');
    expect(faultOf({ keys, digest: 'sha1', signatureAlgorithm: pss })).toBe('SIGNATURE_ALGORITHM');
  });
});

describe('the common name', () => {
  test.each<[string, CsrWishes, string]>([
    ['none', { commonNames: [] }, 'COMMON_NAME_COUNT'],
    ['the identity twice', { commonNames: [identity, identity] }, 'COMMON_NAME_COUNT'],
    [
      'two in one relative name',
      { subject: sequence(set(commonName('x'), commonName(identity))) },
      'COMMON_NAME_COUNT',
    ],
    ['another name', { commonNames: ['n2.example.net'] }, 'COMMON_NAME'],
    ['upper case', { commonNames: ['N1.example.net'] }, 'COMMON_NAME'],
    ['a dot at the end', { commonNames: [`${identity}.`] }, 'COMMON_NAME'],
    ['a byte order mark', { commonNames: [`\ufeff${identity}`] }, 'COMMON_NAME'],
    ['a number', { subject: sequence(set(commonName(Buffer.of(1), 0x02))) }, 'COMMON_NAME'],
    ['bytes', { subject: sequence(set(commonName(identity, 0x04))) }, 'COMMON_NAME'],
    [
      'characters that only end like the right ones',
      { subject: sequence(set(commonName(utf32(identity, 0x10000), 0x1c))) },
      'COMMON_NAME',
    ],
  ])('%s is refused', (_what, wishes, fault) => {
    expect(faultOf(wishes)).toBe(fault);
  });

  test.each([
    ['PrintableString', 0x13],
    ['IA5String', 0x16],
    ['TeletexString', 0x14],
  ])('may be a %s', (_what, tag) => {
    expect(faultOf({ subject: sequence(set(commonName(identity, tag))) })).toBe('accepted');
  });
});

function utf32(text: string, offset: number): Buffer {
  const units = [...text].map((character) => {
    const unit = Buffer.alloc(4);
    unit.writeUInt32BE((character.codePointAt(0) ?? 0) + offset);
    return unit;
  });
  return Buffer.concat(units);
}

describe('requested extensions', () => {
  const names = alternativeNames(dnsName(identity));
  const yes = der(0x01, Buffer.of(0xff));

  test.each<[string, readonly Buffer[], string]>([
    ['in two attributes', [extensionRequest([names]), extensionRequest([])], 'EXTENSION_ATTRIBUTE'],
    [
      'in two values',
      [sequence(oid('1.2.840.113549.1.9.14'), set(sequence(names), sequence()))],
      'EXTENSION_ATTRIBUTE',
    ],
    [
      'in Microsoft’s attribute',
      [extensionRequest([names], '1.3.6.1.4.1.311.2.1.14')],
      'EXTENSION_ATTRIBUTE',
    ],
    ['in no value', [sequence(oid('1.2.840.113549.1.9.14'), set())], 'MALFORMED'],
    ['twice', [extensionRequest([names, names])], 'DUPLICATE_EXTENSION'],
    ['twice, unknown ones', [extensionRequest(twice('1.2.3.4'))], 'DUPLICATE_EXTENSION'],
    ['CA:TRUE', [extensionRequest([extension('2.5.29.19', sequence(yes))])], 'EXTENSION'],
    ['keyCertSign', [extensionRequest([extension('2.5.29.15', Buffer.of(3, 2, 2, 4))])], 'EXTENSION'],
    ['cRLSign', [extensionRequest([extension('2.5.29.15', Buffer.of(3, 2, 1, 2))])], 'EXTENSION'],
    ['any usage', [extensionRequest([extension('2.5.29.37', sequence(oid('2.5.29.37.0')))])], 'EXTENSION'],
    [
      'OCSP signing',
      [extensionRequest([extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.9')))])],
      'EXTENSION',
    ],
    ['names that are none', [extensionRequest([extension('2.5.29.17', Buffer.of(5, 0))])], 'MALFORMED'],
    ['names in BER', [extensionRequest([extension('2.5.29.17', Buffer.of(0x30, 0x80, 0, 0))])], 'MALFORMED'],
    ['no names', [extensionRequest([alternativeNames()])], 'MALFORMED'],
    [
      'CA:TRUE in BER',
      [extensionRequest([extension('2.5.29.19', Buffer.of(0x30, 3, 1, 1, 1))])],
      'MALFORMED',
    ],
  ])('%s are refused', (_what, attributes, fault) => {
    expect(faultOf({ attributes })).toBe(fault);
  });

  test('those of a node are let pass', () => {
    const extensions = [
      names,
      extension('2.5.29.19', sequence()),
      extension('2.5.29.15', Buffer.of(3, 2, 5, 0xa0)),
      extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
      extension('1.2.3.4', Buffer.from('whatever')),
    ];
    expect(faultOf({ attributes: [extensionRequest(extensions)] })).toBe('accepted');
  });
});

function twice(type: string): Buffer[] {
  return [extension(type, der(0x05)), extension(type, der(0x05))];
}

describe('alternative names', () => {
  test.each([
    ['an IP address', der(0x87, Buffer.of(10, 0, 0, 1))],
    ['a URI', der(0x86, Buffer.from('spiffe://x'))],
    ['an email', der(0x81, Buffer.from('a@b.example'))],
    ['another name', der(0xa0, oid('1.2.3'), der(0xa0, der(0x0c)))],
    ['a directory name', der(0xa4, sequence())],
  ])('%s is refused', (_what, name) => {
    expect(faultOf({ attributes: [extensionRequest([alternativeNames(dnsName('a'), name)])] })).toBe(
      'NAME_TYPE',
    );
  });

  test.each([
    '',
    '*.example.net',
    'a b',
    'a..b',
    '.a',
    '-a',
    'a-',
    'ä',
    'a\u0000.b',
    'a\n',
    '10.0.0.1',
    'a/b',
    'a:1',
  ])('%j is no host name', (name) => {
    expect(faultOf({ dns: [name] })).toBe('NAME');
  });

  test.each([
    'a',
    'n1.example.net.',
    'N_1.example.net',
    'xn--bcher-kva.example',
    'a--b.1',
    '1.2.3.4.5',
    'a'.repeat(63),
  ])('%s is a host name', (name) => {
    expect(faultOf({ dns: [name] })).toBe('accepted');
  });
});

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
