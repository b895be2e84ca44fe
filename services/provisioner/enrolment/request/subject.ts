// The common name of a certificate request's subject.

import { CsrError, quoted } from './csr-error.js';
import { type DerNode, expectNode, oidOf, tags } from './der.js';
import { asMalformed } from './structure.js';

const commonNameType = '2.5.4.3';

/**
 * Checks that the subject has one common name, whichever of its relative names holds it, and that it is the
 * identity to the letter.
 *
 * @throws CsrError MALFORMED, COMMON_NAME_COUNT, COMMON_NAME
 */
export function checkCommonName(subject: DerNode, identity: string): void {
  const values = asMalformed(() => commonNames(subject));
  const [value] = values;
  if (value === undefined || values.length > 1) {
    throw new CsrError(
      'COMMON_NAME_COUNT',
      `expected exactly one common name in the subject, got ${values.length}`,
    );
  }
  const name = decode(value);
  if (name === undefined) throw new CsrError('COMMON_NAME', 'the common name is not text');
  if (name !== identity) {
    throw new CsrError(
      'COMMON_NAME',
      `the common name is ${quoted(name)}, and the node is ${quoted(identity)}`,
    );
  }
}

function commonNames(subject: DerNode): DerNode[] {
  const names: DerNode[] = [];
  for (const relativeName of subject.children) {
    for (const attribute of expectNode(relativeName, tags.set, 'a relative name').children) {
      const { children } = expectNode(attribute, tags.sequence, 'a part of the subject', { min: 2, max: 2 });
      const [type, value] = children;
      if (oidOf(type, 'the type of a part of the subject') === commonNameType && value) names.push(value);
    }
  }
  return names;
}

/** The text of a directory string; undefined where it is no text. */
function decode({ tag, content }: DerNode): string | undefined {
  switch (tag) {
    case tags.utf8String:
      return decodeAs('utf-8', content);
    case tags.bmpString:
      return content.length % 2 === 0 ? decodeAs('utf-16le', Buffer.from(content).swap16()) : undefined;
    case tags.universalString:
      return decodeUtf32(content);
    case tags.printableString:
    case tags.ia5String:
    case tags.teletexString:
      // What is not ASCII differs from the identity in either case.
      return content.toString('latin1');
    default:
      return undefined;
  }
}

function decodeAs(encoding: string, content: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

function decodeUtf32(content: Buffer): string | undefined {
  if (content.length % 4 !== 0) return undefined;
  const points: number[] = [];
  for (let at = 0; at < content.length; at += 4) points.push(content.readUInt32BE(at));
  if (points.some((point) => point > 0x10ffff)) return undefined;
  return points.map((point) => String.fromCodePoint(point)).join('');
}
