// The parts of a certificate request (PKCS#10, RFC 2986), as they are encoded. What they say is for others to judge.

import { CsrError } from './csr-error.js';
import { DerError, type DerNode, DerTrailingError, expectNode, oidOf, readDer, tags } from './der.js';

export interface RequestParts {
  /** What is signed. */
  readonly info: DerNode;
  readonly subject: DerNode;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: DerNode;
  readonly attributes: readonly RequestAttribute[];
  readonly signatureAlgorithm: DerNode;
  /** A BIT STRING. */
  readonly signature: DerNode;
}

export interface RequestAttribute {
  readonly type: string;
  readonly values: readonly DerNode[];
}

/** [0], implicitly a SET OF. */
const attributesTag = 0xa0;

/**
 * Reads the parts of a request. Its attributes may be left out, which old tools do.
 *
 * @throws CsrError MALFORMED, TRAILING_DATA
 */
export function readRequest(der: Buffer): RequestParts {
  return asMalformed(() => {
    const request = expectNode(readWhole(der), tags.sequence, 'the request', { min: 3, max: 3 });
    const [info, signatureAlgorithm, signature] = request.children;
    const { children } = expectNode(info, tags.sequence, 'what is signed', { min: 3, max: 4 });
    const [version, subject, publicKey, attributes] = children;
    if (!expectNode(version, tags.integer, 'the version').content.equals(Buffer.of(0))) {
      throw new DerError('the version is not 1');
    }
    return {
      info: expectNode(info, tags.sequence, 'what is signed'),
      subject: expectNode(subject, tags.sequence, 'the subject'),
      publicKey: expectNode(publicKey, tags.sequence, 'the public key', { min: 2, max: 2 }),
      attributes: attributes === undefined ? [] : readAttributes(attributes),
      signatureAlgorithm: expectNode(signatureAlgorithm, tags.sequence, 'the signature algorithm', {
        min: 1,
        max: 2,
      }),
      signature: expectNode(signature, tags.bitString, 'the signature'),
    };
  });
}

function readWhole(der: Buffer): DerNode {
  try {
    return readDer(der);
  } catch (error) {
    if (!(error instanceof DerTrailingError)) throw error;
    throw new CsrError('TRAILING_DATA', `in the PEM block, after the request, ${error.message}`, {
      cause: error,
    });
  }
}

/** Runs what reads DER and gives its complaints the form of a refusal. @throws CsrError */
export function asMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new CsrError('MALFORMED', `it is no certificate request in DER: ${error.message}`, {
      cause: error,
    });
  }
}

function readAttributes(node: DerNode): RequestAttribute[] {
  return expectNode(node, attributesTag, 'the set of attributes').children.map((attribute) => {
    const { children } = expectNode(attribute, tags.sequence, 'an attribute', { min: 2, max: 2 });
    const [type, values] = children;
    return {
      type: oidOf(type, 'the type of an attribute'),
      values: expectNode(values, tags.set, 'the values of an attribute').children,
    };
  });
}
