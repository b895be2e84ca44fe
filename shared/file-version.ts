// Whether a file is still as it was when it was read, told without reading it.

import { stat } from 'node:fs/promises';

/**
 * @returns a text that is another one whenever the file was written or replaced
 * @throws the system's error where there is no such file
 */
export async function fileVersion(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
