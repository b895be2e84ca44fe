// Writes DER, and what only looks like it, a value at a time.

/** A value: identifier octet, length, and its parts one after the other. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return der(0x31, ...parts);
}

/** An OBJECT IDENTIFIER written in dots. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(0x06, ...[first * 40 + second, ...rest].map(base128));
}

export function bitString(content: Uint8Array): Buffer {
  return der(0x03, Buffer.of(0), content);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(length);
  const needed = octets.subarray(octets.findIndex((octet) => octet > 0));
  return Buffer.concat([Buffer.of(0x80 | needed.length), needed]);
}

function base128(arc: number): Buffer {
  const octets = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) {
    octets.unshift(0x80 | (rest % 128));
  }
  return Buffer.from(octets);
}
