// Where ssl_dir leads on a node of this program. The node plays a machine whose root is its own folder: what is
// outside of it on the machine that it runs on is out of its reach.

import { basename, posix } from 'node:path';
import {
  caName,
  certificateName,
  configurationEntries,
  csrFile,
  privateKeyName,
  seedFile,
  serverTokenFile,
  settingsFile,
  sslFolder,
} from '../state/layout.js';

const longestPath = 1024;
const longestName = 255;

/** Here the agent keeps other things. */
const taken = new Set<string>([
  'state',
  settingsFile,
  serverTokenFile,
  seedFile,
  ...configurationEntries.filter((entry) => entry !== sslFolder),
]);

/** Files in such a folder: no folder can be where one of them may be. */
const fileNames = new Set<string>([privateKeyName, certificateName, caName, basename(csrFile)]);

export type SslFolder =
  | {
      readonly ok: true;
      /** Relative to the node's folder, with forward slashes; empty for that folder itself. */
      readonly folder: string;
    }
  | { readonly ok: false; readonly problem: string };

/**
 * @param sslDir as Configure has it: empty for the agent's own choice; below the node's folder; or a path on the
 *   machine that the node plays
 * @param nodeDirectory the node's folder, absolute
 */
export function findSslFolder(sslDir: string, nodeDirectory: string): SslFolder {
  if (sslDir === '') return { ok: true, folder: sslFolder };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(sslDir)) return refused('a control character is not allowed');
  const path = posix.resolve('/', sslDir);
  const within = path === nodeDirectory || path.startsWith(`${nodeDirectory}/`);
  const folder = path.slice(within ? nodeDirectory.length + 1 : 1);
  const names = folder.split('/');
  if (folder.length > longestPath || names.some((name) => Buffer.byteLength(name) > longestName)) {
    return refused('is too long');
  }
  if (taken.has(names[0] ?? '') || names.some((name) => fileNames.has(name)))
    return refused('the agent keeps other files there');
  return { ok: true, folder };
}

function refused(problem: string): SslFolder {
  return { ok: false, problem };
}
