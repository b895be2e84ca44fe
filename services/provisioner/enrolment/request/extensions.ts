// The extensions that a certificate request asks for: where they may stand, which powers no node may ask for, and
// the names among them.

import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
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
      if (foreign !== undefined) throw powers(`for a certificate for ${foreignUsages.get(String(foreign))}`);
      return [];
    }
    default:
      return [];
  }
}

/** GeneralName (RFC 5280) by tag. */
const nameTypes: ReadonlyMap<number, string> = new Map([
  [0xa0, 'another name'],
  [0x81, 'email'],
  [0xa3, 'X.400 address'],
  [0xa4, 'directory name'],
  [0xa5, 'EDI party name'],
  [0x86, 'URI'],
  [0x87, 'IP address'],
  [0x88, 'registered id'],
]);
const dnsNameTag = 0x82;

function readNames({ type, value }: RequestedExtension): string[] {
  const names = expectNode(readDer(value), tags.sequence, `the extension ${type}`).children;
  if (names.length === 0) throw malformed(type);
  return names.map(({ tag, content }) => {
    if (tag === dnsNameTag) return checkHostName(content.toString('latin1'));
    const nameType = nameTypes.get(tag);
    if (nameType === undefined) throw malformed(type);
    throw new CsrError(
      'NAME_TYPE',
      `a subject alternative name is of the type ${nameType}; only DNS names are allowed`,
    );
  });
}

function checkHostName(name: string): string {
  if (!isHostName(name)) throw new CsrError('NAME', `the DNS name ${quoted(name)} is no host name`);
  return name;
}

/** Has the library read the value, once it is known that every other reader reads the same in it. */
function read<T>(Type: new (raw: Uint8Array<ArrayBuffer>) => T, extension: RequestedExtension): T {
  asMalformed(() => readDer(extension.value));
  try {
    return new Type(Uint8Array.from(extension.raw));
  } catch (error) {
    throw malformed(extension.type, error);
  }
}

function malformed(type: string, cause?: unknown): CsrError {
  return new CsrError('MALFORMED', `the value of the extension ${type} is malformed`, { cause });
}

function powers(what: string): CsrError {
  return new CsrError('EXTENSION', `the request asks ${what}, which no node has a use for`);
}
