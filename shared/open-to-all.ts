// Warns of a file with a secret in it that every user of the machine may read. Whether it can be used at all is told
// by those who read it.

import { stat } from 'node:fs/promises';

/** @param setting names the file, in the warning; one that is not there is passed over */
export async function warnWhereAllMayRead(
  setting: string,
  path: string,
  log: { warn(message: string): void },
): Promise<void> {
  const mode = await stat(path).then(
    (stats) => stats.mode,
    () => 0,
  );
  if ((mode & 0o004) === 0) return;
  log.warn(
    `${setting}: ${path} may be read by every user of this machine; take that right away: chmod o-rwx ${path}`,
  );
}
