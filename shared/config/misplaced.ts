// What belongs into a file and stands where the file is to be named: a message about that file would show it.

import { existsSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * @param path absolute; hex that is no path yet may be meant as a key
 * @returns what it looks like that is no path, in words that show nothing of it; undefined where it may be one
 */
export function misplacedContent(path: string): string | undefined {
  if (path.includes('-----BEGIN ')) return 'what looks like PEM';
  if (/[\r\n]/.test(path)) return 'a text of several lines';
  const name = basename(path);
  if (/^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(name)) return 'what looks like a token';
  const isKey = /^[0-9a-fA-F]{64}(?:[0-9a-fA-F]{64})?$/.test(name);
  if (isKey && path !== name && !existsSync(path)) return 'what looks like a key';
  return undefined;
}
