// Whether the file of a log can be used: reads all of it. LMDB trusts what it maps, so that a damaged page may end the
// process that does: whoever must not end asks inspect.ts.

import { LmdbFile } from '../lmdb-file.js';
import { LmdbStore } from '../lmdb-store.js';
import { believableLogId, isDamage } from '../origin.js';
import type { Verdict } from './verdict.js';

/** @throws what the system throws where the file cannot be looked at */
export async function judge(folder: string, site: string): Promise<Verdict> {
  try {
    const file = new LmdbFile(folder);
    try {
      if (file.isTaken()) return { kind: 'TAKEN' };
      if (!file.isEmpty) new LmdbStore(file, believableLogId(file.readOrigin(), site)).verify();
      return { kind: 'SOUND' };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { kind: 'UNUSABLE', why: error instanceof Error ? error.message : String(error) };
  }
}
