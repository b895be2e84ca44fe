// Looks at a log's file before LMDB does: LMDB trusts what it maps, and ends the process over a file that is none of
// its own or was cut short.

import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const fileName = 'data.mdb';

export type FileCheck =
  | { readonly kind: 'NEW' }
  /** As far as can be seen without reading all of it. */
  | { readonly kind: 'USABLE' }
  | { readonly kind: 'DAMAGED'; readonly why: string };

/** Places in a page that describes the file: LMDB's MDB_meta, version 2, with 64 bits. */
const places = { magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152, end: 160 } as const;
const magic = 0xbeefc0de;
const version = 2;

/** @throws what the system throws where the file cannot be read */
export async function checkFile(folder: string): Promise<FileCheck> {
  const path = join(folder, fileName);
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return { kind: 'NEW' };
  try {
    const { size } = await file.stat();
    if (size === 0) return { kind: 'NEW' };
    const pageAt = async (position: number) => {
      const page = Buffer.alloc(places.end);
      await file.read(page, 0, page.length, position);
      return page;
    };
    const one = await pageAt(0);
    if (!describes(one)) return damaged('it is not a file of LMDB, or of another version');
    const pageSize = one.readUInt32LE(places.pageSize);
    const other = await pageAt(pageSize);
    if (!describes(other)) return damaged('its second page is damaged');
    const pages = 1n + lastPageOf(one, other);
    if (BigInt(size) >= pages * BigInt(pageSize)) return { kind: 'USABLE' };
    // Pages at its end may be missing that are not in use, which is well.
    // What is missing reads as zeros then, where it would end the process.
    await truncate(path, Number(pages) * pageSize);
    return { kind: 'USABLE' };
  } finally {
    await file.close();
  }
}

function describes(page: Buffer): boolean {
  return page.readUInt32LE(places.magic) === magic && page.readUInt32LE(places.version) === version;
}

/** As of the newer one. */
function lastPageOf(one: Buffer, other: Buffer): bigint {
  const newer =
    one.readBigUInt64LE(places.transaction) > other.readBigUInt64LE(places.transaction) ? one : other;
  return newer.readBigUInt64LE(places.lastPage);
}

function damaged(why: string): FileCheck {
  return { kind: 'DAMAGED', why };
}
