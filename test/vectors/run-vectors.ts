// Runs the checkers over a folder of vector files and says what came of it, a line per file.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CaseResult, type Checker, MalformedFileError } from './checker.js';
import { csr } from './checkers/csr.js';
import { denyRegex } from './checkers/deny-regex.js';
import { durations } from './checkers/durations.js';
import { ecdh } from './checkers/ecdh.js';
import { helperReplies } from './checkers/helper-replies.js';
import { jwt } from './checkers/jwt.js';
import { shellquote } from './checkers/shellquote.js';
import { versionCompare } from './checkers/version-compare.js';

/** The folder cannot be used. */
export class VectorsError extends Error {
  override readonly name = 'VectorsError';
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Files that could not be read; each counts as one failure. */
  readonly malformed: number;
}

const checkers: ReadonlyMap<string, Checker> = new Map([
  ['csr.json', csr],
  ['deny-regex.json', denyRegex],
  ['durations.json', durations],
  ['ecdh.json', ecdh],
  ['jwt.json', jwt],
  ['shellquote.json', shellquote],
  ['helper-replies.json', helperReplies],
  ['version-compare.json', versionCompare],
]);

/**
 * Checks every known file in the folder and ends with a line `N passed, N failed`.
 *
 * @throws VectorsError where the folder cannot be read or has no vector file that is known
 */
export async function runVectors(folder: string, print: (line: string) => void): Promise<Totals> {
  const names = await vectorFiles(folder);
  const all: CaseResult[] = [];
  let malformed = 0;
  for (const name of names) {
    const checker = checkers.get(name);
    if (checker !== undefined) {
      try {
        const results = await checker(await readJson(join(folder, name)));
        all.push(...results);
        for (const line of describe(name, results)) print(line);
      } catch (error) {
        if (!(error instanceof MalformedFileError)) throw error;
        malformed += 1;
        print(`${name}: cannot be used: ${error.message}`);
      }
    } else {
      print(`${name}: ignored: no vector file that is known`);
    }
  }
  const counts = count(all);
  const totals = { ...counts, failed: counts.failed + malformed, malformed };
  print(`${totals.passed} passed, ${totals.failed} failed`);
  return totals;
}

async function vectorFiles(folder: string): Promise<string[]> {
  let entries: string[];
  try {
    entries = await readdir(folder);
  } catch (error) {
    throw new VectorsError(`cannot read the folder: ${messageOf(error)}`, { cause: error });
  }
  const names = entries.filter((name) => name.endsWith('.json')).sort();
  if (!names.some((name) => checkers.has(name))) {
    throw new VectorsError(`no vector file that is known in ${folder} (${[...checkers.keys()].join(', ')})`);
  }
  return names;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new MalformedFileError(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A line for the file and, below it, one for each case that needs a word. */
function describe(file: string, results: readonly CaseResult[]): string[] {
  const lines: string[] = [];
  const notes = new Map<string, number>();
  for (const { name, verdict } of results) {
    switch (verdict.kind) {
      case 'PASSED':
        if (verdict.note !== undefined) notes.set(verdict.note, (notes.get(verdict.note) ?? 0) + 1);
        break;
      case 'FAILED':
        lines.push(`  FAILED ${name}: ${verdict.message}`);
        break;
      case 'SKIPPED':
        lines.push(`  skipped ${name}: ${verdict.why}`);
        break;
    }
  }
  for (const [note, cases] of notes) lines.push(`  ${note} (${cases} cases)`);
  const { passed, failed, skipped } = count(results);
  return [`${file}: ${passed} passed, ${failed} failed, ${skipped} skipped`, ...lines];
}

function count(results: readonly CaseResult[]): { passed: number; failed: number; skipped: number } {
  const of = (kind: CaseResult['verdict']['kind']) =>
    results.filter(({ verdict }) => verdict.kind === kind).length;
  return { passed: of('PASSED'), failed: of('FAILED'), skipped: of('SKIPPED') };
}
