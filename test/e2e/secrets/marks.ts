// Secrets that can be recognised wherever they turn up: as they are or encoded, whole or in part.

import { randomBytes } from 'node:crypto';

/** How many bytes in a row give a secret away. Of any twice as many, some such piece begins at a multiple of it. */
const pieceBytes = 8;

/** Something that was said or written, and where. */
export interface Source {
  readonly name: string;
  readonly content: string | Buffer;
}

export class Mark {
  readonly name: string;
  readonly bytes: Buffer;
  readonly #traces: readonly Buffer[];

  /** @param secret what must not turn up; at least 16 bytes of it at random */
  constructor(name: string, secret: string | Buffer) {
    this.name = name;
    this.bytes = Buffer.from(secret);
    if (this.bytes.length < 2 * pieceBytes) throw new Error(`${name} is too short to be recognised`);
    this.#traces = piecesOf(this.bytes).flatMap(tracesOf);
  }

  /** @returns a mark that is a text, without a character that would be written in another way anywhere */
  static text(name: string): Mark {
    return new Mark(
      name,
      randomBytes(24)
        .toString('hex')
        .replaceAll(/[0-9]/g, (digit) => letterOf(digit)),
    );
  }

  get text(): string {
    return this.bytes.toString();
  }

  isIn(content: Buffer): boolean {
    return this.#traces.some((trace) => content.includes(trace));
  }
}

/** @returns which of the marks is where; empty where none is anywhere */
export function findMarks(marks: readonly Mark[], sources: readonly Source[]): string[] {
  return sources.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content);
    return marks.filter((mark) => mark.isIn(bytes)).map((mark) => `${mark.name} is in ${name}`);
  });
}

/** Letters only: no encoding of URLs, JSON or shells changes them, and none is a hex digit. */
function letterOf(digit: string): string {
  return 'GHJKLMNPQR'[Number(digit)] ?? '';
}

function piecesOf(bytes: Buffer): Buffer[] {
  const count = Math.floor(bytes.length / pieceBytes);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
}

/** The piece as it is, in hex, as a list of numbers, and in base64 wherever it begins in what was encoded. */
function tracesOf(piece: Buffer): Buffer[] {
  const hex = piece.toString('hex');
  const base64 = [0, 1, 2].map((before) => base64Within(piece, before));
  const texts = [
    ...[hex, hex.toUpperCase(), spaced(hex, ' '), spaced(hex, ':'), [...piece].join(',')],
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map(encodeURIComponent),
  ];
  return [piece, ...new Set(texts)].map((trace) => Buffer.from(trace));
}

/** The characters that say nothing but the piece, where so many bytes stand before it in its group of three. */
function base64Within(piece: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), piece])
    .toString('base64')
    .replaceAll('=', '');
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor(((before + piece.length) * 8) / 6);
  return text.slice(first, last);
}

function spaced(hex: string, by: string): string {
  return (hex.match(/../g) ?? []).join(by);
}
