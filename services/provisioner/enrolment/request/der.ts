// Reads DER (X.690) as strictly as signing tools do: the library that reads certificate requests takes BER as well,
// and what two readers may read in two ways must not pass. What the values mean is for others to say.

/** The bytes are not DER, or not what was expected there. */
export class DerError extends Error {
  override readonly name: string = 'DerError';
}

/** All is well but for bytes that follow. */
export class DerTrailingError extends DerError {
  override readonly name = 'DerTrailingError';
}

export interface DerNode {
  /** The identifier octet: class, constructed or not, and number. */
  readonly tag: number;
  /** The whole encoding. */
  readonly raw: Buffer;
  /** Without identifier and length. */
  readonly content: Buffer;
  /** Empty where it is primitive. */
  readonly children: readonly DerNode[];
}

/** Identifier octets. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  universalString: 0x1c,
  bmpString: 0x1e,
} as const;

const constructedBit = 0x20;
const classBits = 0xc0;
const numberBits = 0x1f;

/** Far deeper than any request goes; it bounds the recursion. */
const deepest = 32;

/**
 * Reads one value and everything in it.
 *
 * @throws DerTrailingError where bytes follow, DerError
 */
export function readDer(bytes: Buffer): DerNode {
  const node = readNode(bytes, 0, 0);
  const rest = bytes.length - node.raw.length;
  if (rest > 0) throw new DerTrailingError(`there are ${rest} bytes too many`);
  return node;
}

/** @throws DerError where it has another tag, or not that many children */
export function expectNode(
  node: DerNode | undefined,
  tag: number,
  what: string,
  children?: { readonly min: number; readonly max: number },
): DerNode {
  if (node === undefined) throw new DerError(`${what} is missing`);
  if (node.tag !== tag) throw new DerError(`${what} has the tag 0x${node.tag.toString(16)}`);
  const { length } = node.children;
  if (children !== undefined && (length < children.min || length > children.max)) {
    throw new DerError(`${what} has ${length} parts`);
  }
  return node;
}

/** Bytes of a BIT STRING that has no unused bits. @throws DerError */
export function wholeBytes(node: DerNode | undefined, what: string): Buffer {
  const { content } = expectNode(node, tags.bitString, what);
  if (content[0] !== 0) throw new DerError(`${what} is not made of whole bytes`);
  return content.subarray(1);
}

/** An OBJECT IDENTIFIER in dots. @throws DerError */
export function oidOf(node: DerNode | undefined, what: string): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of expectNode(node, tags.oid, what).content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if (byte & 0x80) continue;
    if (arcs.length === 0) {
      const first = arc < 80n ? arc / 40n : 2n;
      arcs.push(first, arc - 40n * first);
    } else {
      arcs.push(arc);
    }
    arc = 0n;
  }
  return arcs.join('.');
}

function readNode(bytes: Buffer, at: number, depth: number): DerNode {
  if (depth > deepest) throw new DerError('values nest too deeply');
  const tag = byteAt(bytes, at);
  if ((tag & numberBits) === numberBits) throw new DerError('a tag of more than one byte');
  const { length, start } = readLength(bytes, at + 1);
  const end = start + length;
  if (end > bytes.length) throw new DerError('a value is longer than what holds it');
  const content = bytes.subarray(start, end);
  const children = tag & constructedBit ? readChildren(content, depth + 1) : [];
  if ((tag & classBits) === 0) checkUniversal(tag, content);
  return { tag, raw: bytes.subarray(at, end), content, children };
}

function readChildren(content: Buffer, depth: number): DerNode[] {
  const children: DerNode[] = [];
  for (let at = 0; at < content.length; ) {
    const child = readNode(content, at, depth);
    children.push(child);
    at += child.raw.length;
  }
  return children;
}

/** Definite, and in as few bytes as it can be. */
function readLength(bytes: Buffer, at: number): { length: number; start: number } {
  const first = byteAt(bytes, at);
  if (first < 0x80) return { length: first, start: at + 1 };
  const octets = first & 0x7f;
  if (octets === 0) throw new DerError('a length that is indefinite');
  if (octets > 4) throw new DerError('a length of too many bytes');
  let length = 0;
  for (let index = 1; index <= octets; index += 1) length = length * 256 + byteAt(bytes, at + index);
  if (length < 0x80 || length < 256 ** (octets - 1))
    throw new DerError('a length with bytes that it does not need');
  return { length, start: at + 1 + octets };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new DerError('it ends too early');
  return byte;
}

/** The rules of DER for the types of the standard itself. */
function checkUniversal(tag: number, content: Buffer): void {
  const composite = tag === tags.sequence || tag === tags.set;
  if (
    !composite &&
    (tag & constructedBit || tag === tags.sequence - constructedBit || tag === tags.set - constructedBit)
  ) {
    throw new DerError(`a value of the form 0x${tag.toString(16)}, which DER does not have`);
  }
  const [first = 0, second = 0] = content;
  switch (tag) {
    case 0:
      throw new DerError('an end of contents');
    case tags.boolean:
      if (content.length !== 1 || (first !== 0 && first !== 0xff))
        throw new DerError('a boolean that is neither');
      return;
    case tags.integer: {
      const padded =
        content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
      if (content.length === 0 || padded) throw new DerError('an integer with bytes missing or not needed');
      return;
    }
    case tags.bitString: {
      const last = content.at(-1) ?? 0;
      if (content.length === 0 || first > 7 || (content.length === 1 && first > 0)) {
        throw new DerError('a malformed bit string');
      }
      if (content.length > 1 && last & ((1 << first) - 1))
        throw new DerError('a bit string whose unused bits are set');
      return;
    }
    case tags.null:
      if (content.length > 0) throw new DerError('a null with a value');
      return;
    case tags.oid:
      checkOid(content);
  }
}

function checkOid(content: Buffer): void {
  if (content.length === 0 || content.length > 64)
    throw new DerError('an object identifier of a strange length');
  let startsArc = true;
  for (const byte of content) {
    if (startsArc && byte === 0x80)
      throw new DerError('an object identifier with bytes that it does not need');
    startsArc = byte < 0x80;
  }
  if (!startsArc) throw new DerError('an object identifier that ends too early');
}
