// The extensions that a certificate request asks for: where they may stand, which powers no node may ask for, and
// the names among them.

import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
} from '../../../../shared/trust/x509.js';
import { CsrError, quoted } from './csr-error.js';
import { type DerNode, expectNode, oidOf, readDer, tags } from './der.js';
import { isHostName } from './host-name.js';
import { asMalformed, type RequestAttribute } from './structure.js';

const extensionRequestType = '1.2.840.113549.1.9.14';
/** Microsoft's own, which OpenSSL reads as well, and others do not. */
const microsoftExtensionRequestType = '1.3.6.1.4.1.311.2.1.14';

interface RequestedExtension {
  readonly type: string;
  readonly raw: Buffer;
  readonly value: Buffer;
}

/** Usages that would make of a node’s certificate one for something else. */
const foreignUsages: ReadonlyMap<string, string> = new Map([
  ['2.5.29.37.0', 'any usage'],
  ['1.3.6.1.5.5.7.3.3', 'code signing'],
  ['1.3.6.1.5.5.7.3.8', 'time stamping'],
  ['1.3.6.1.5.5.7.3.9', 'OCSP signing'],
]);

/**
 * Checks the requested extensions. Basic constraints and key usages are let pass where they are a node's; others
 * are let pass unread: whether they come into the certificate is for who signs it to say.
 *
 * @returns the DNS names among them, each a host name
 * @throws CsrError MALFORMED, EXTENSION_ATTRIBUTE, DUPLICATE_EXTENSION, EXTENSION, NAME_TYPE, NAME
 */
export function checkExtensions(attributes: readonly RequestAttribute[]): string[] {
  const extensions = requestedExtensions(attributes);
  const seen = new Set<string>();
  for (const { type } of extensions) {
    if (seen.has(type)) throw new CsrError('DUPLICATE_EXTENSION', `the extension ${type} is requested twice`);
    seen.add(type);
  }
  return extensions.flatMap(checkExtension);
}

function requestedExtensions(attributes: readonly RequestAttribute[]): RequestedExtension[] {
  if (attributes.some(({ type }) => type === microsoftExtensionRequestType)) {
    throw new CsrError(
      'EXTENSION_ATTRIBUTE',
      'extensions are requested in the attribute of Microsoft, not that of PKCS#9',
    );
  }
  const requests = attributes.filter(({ type }) => type === extensionRequestType);
  const [request] = requests;
  if (request === undefined) return [];
  const [value] = request.values;
  if (requests.length > 1 || request.values.length > 1) {
    throw new CsrError('EXTENSION_ATTRIBUTE', 'there is more than one request for extensions');
  }
  return asMalformed(() =>
    expectNode(value, tags.sequence, 'the request for extensions').children.map(readExtension),
  );
}

function readExtension(node: DerNode): RequestedExtension {
  const { children } = expectNode(node, tags.sequence, 'an extension', { min: 2, max: 3 });
  if (children.length === 3) expectNode(children[1], tags.boolean, 'whether an extension is critical');
  return {
    type: oidOf(children[0], 'the type of an extension'),
    raw: node.raw,
    value: expectNode(children.at(-1), tags.octetString, 'the value of an extension').content,
  };
}

/** @returns the names in it */
function checkExtension(extension: RequestedExtension): string[] {
  switch (extension.type) {
    case '2.5.29.17':
      return readNames(extension);
    case '2.5.29.19':
      if (read(BasicConstraintsExtension, extension).ca)
        throw powers('to be a certificate authority (CA:TRUE)');
      return [];
    case '2.5.29.15': {
      const { usages } = read(KeyUsagesExtension, extension);
      if (usages & KeyUsageFlags.keyCertSign) throw powers('to sign certificates (keyCertSign)');
      if (usages & KeyUsageFlags.cRLSign) throw powers('to sign revocation lists (cRLSign)');
      return [];
    }
    case '2.5.29.37': {
      const foreign = read(ExtendedKeyUsageExtension, extension).usages.find((usage) =>
        foreignUsages.has(String(usage)),
      );
      if (foreign !== undefined) throw powers(`a certificate for ${foreignUsages.get(String(foreign))}`);
      return [];
    }
    default:
      return [];
  }
}

function readNames(extension: RequestedExtension): string[] {
  const names = read(SubjectAlternativeNameExtension, extension).names.items.map((name) => name.toJSON());
  const { length } = readDer(extension.value).children;
  if (names.length !== length || length === 0) throw malformed(extension);
  return names.map(checkName);
}

function checkName({ type, value }: JsonGeneralName): string {
  if (type !== 'dns') {
    throw new CsrError(
      'NAME_TYPE',
      `a subject alternative name is of the type ${type}; only DNS names are allowed`,
    );
  }
  if (!isHostName(value)) throw new CsrError('NAME', `the DNS name ${quoted(value)} is no host name`);
  return value;
}

/** Has the library read the value, once it is known that every other reader reads the same in it. */
function read<T>(Type: new (raw: Uint8Array<ArrayBuffer>) => T, extension: RequestedExtension): T {
  asMalformed(() => readDer(extension.value));
  try {
    return new Type(Uint8Array.from(extension.raw));
  } catch (error) {
    throw malformed(extension, error);
  }
}

function malformed({ type }: RequestedExtension, cause?: unknown): CsrError {
  return new CsrError('MALFORMED', `the value of the extension ${type} is malformed`, { cause });
}

function powers(what: string): CsrError {
  return new CsrError('EXTENSION', `the request asks ${what}, which no node has a use for`);
}
