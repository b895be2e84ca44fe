import { describe, expect, test } from 'vitest';
import {
  alternativeNames,
  type CsrWishes,
  commonName,
  dnsName,
  extension,
  extensionRequest,
  faultIn,
  makeCsr,
} from '../../../test/fakes/csr-maker.js';
import { der, oid, sequence, set } from '../../../test/fakes/der.js';
import { checkCsr } from './csr.js';
import { parseDenyList } from './deny-list.js';

const identity = 'n1.example.net';
const nothingDenied = parseDenyList([]);

function faultOf(wishes: CsrWishes, name = identity): string {
  return faultIn(() => checkCsr(makeCsr(wishes), name, nothingDenied));
}

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
