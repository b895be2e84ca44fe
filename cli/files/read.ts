// Reads what a command was pointed at: a file, or standard input where it says "-".

import { readFile } from 'node:fs/promises';
import { UsageError } from '../command-error.js';
import type { Terminal } from '../terminal.js';

/** What a key, a token or a certificate takes at most, by far: characters. */
const usualMost = 1024 * 1024;

/**
 * @param what names the thing in messages: "the token"
 * @param most characters that it may have
 * @returns the text without white space around it
 * @throws UsageError where it cannot be read, is empty or is far too long
 */
export async function readText(
  path: string,
  what: string,
  terminal: Terminal,
  most = usualMost,
): Promise<string> {
  const text = path === '-' ? await terminal.readInput() : await readNamed(path, what);
  const where = path === '-' ? 'standard input' : path;
  if (text.length > most) throw new UsageError(`${where} is too large to be ${what}`);
  if (text.trim() === '') throw new UsageError(`${where} is empty; it should hold ${what}`);
  return text.trim();
}

async function readNamed(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${what}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
