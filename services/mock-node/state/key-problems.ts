// Finds what of a node's keys and of what was made for them does not belong together, for read-node-state.ts.

import { dirname, join } from 'node:path';
import type { Files } from './files.js';
import { fitsKey, publicKeyOfSeed, publicKeyOfToken, readCertificate } from './keys.js';
import {
  certificateName,
  csrFile,
  csrKeyFile,
  privateKeyName,
  seedFile,
  serverTokenFile,
  sslFolder,
} from './layout.js';

/** Gives the content of a file by its path in the node's folder; undefined where there is none. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** @param certificates paths of those that the node may have */
export async function findMisfits(read: ReadFile, certificates: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  const seed = await read(seedFile);
  const token = await read(serverTokenFile);
  const publicKey = seed === undefined ? undefined : publicKeyOfSeed(seed);
  if (seed !== undefined && publicKey === undefined) problems.push(`${seedFile} is no seed`);
  if (token !== undefined && (publicKey === undefined || publicKeyOfToken(token) !== publicKey)) {
    problems.push(`${serverTokenFile} is not for ${seedFile}`);
  }
  for (const path of new Set([...certificates, `${sslFolder}/${certificateName}`])) {
    const keyPath = join(dirname(path), privateKeyName);
    const [certificate, key] = [await read(path), await read(keyPath)];
    if (certificate === undefined || key === undefined) continue;
    const parsed = readCertificate(certificate);
    if (parsed === undefined) problems.push(`${path} is no certificate`);
    else if (!fitsKey(parsed, key)) problems.push(`${path} is not for ${keyPath}`);
  }
  return problems;
}

const keyModes = [
  [seedFile, 0o600],
  [csrKeyFile, 0o600],
  [csrFile, 0o644],
  [sslFolder, 0o700],
] as const;

/** Looks at the permissions of the node's own keys. */
export async function findWrongKeyModes(directory: string, files: Files): Promise<string[]> {
  const problems: string[] = [];
  for (const [path, expected] of keyModes) {
    problems.push(...modeProblem(path, expected, await files.mode(join(directory, path))));
  }
  return problems;
}

/** @returns what is wrong with the permissions of a file; empty where nothing is, or there is none */
export function modeProblem(path: string, expected: number, mode: number | undefined): string[] {
  if (mode === undefined || mode === expected) return [];
  return [`${path} has mode ${formatMode(mode)} instead of ${formatMode(expected)}`];
}

function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
