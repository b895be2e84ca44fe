// Has the file of a log looked at by a process of its own, which a damaged file may end.

import { spawn } from 'node:child_process';
import { ownProgram } from '../../../../../shared/process/own-program.js';
import type { Verdict } from './verdict.js';

/** With these a process ends that meets with what cannot be: no memory where the file is cut off, or nonsense in it. */
const fatalSignals: readonly (NodeJS.Signals | null)[] = [
  'SIGSEGV',
  'SIGBUS',
  'SIGABRT',
  'SIGILL',
  'SIGFPE',
  'SIGTRAP',
];

/** The file could not be looked at: what it is like is not known. */
class InspectionError extends Error {
  override readonly name = 'InspectionError';
}

/**
 * Reads all of a log: some seconds for a million events.
 *
 * @throws InspectionError
 */
export function inspect(folder: string, site: string): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const args = [...ownProgram(import.meta.url, './main'), folder, site];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let verdict = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (verdict += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-2_000)));
    child.on('error', (error) => reject(new InspectionError(error.message, { cause: error })));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(verdict) as Verdict);
      else if (fatalSignals.includes(signal)) resolve({ kind: 'UNUSABLE', why: whyEnded(signal, said) });
      else reject(new InspectionError(`${signal ?? `exit code ${code}`}: ${said.trim()}`));
    });
  });
}

function whyEnded(signal: NodeJS.Signals | null, said: string): string {
  const words = said.trim();
  return `it is damaged: whoever reads it is ended by ${signal}${words === '' ? '' : ` (${words})`}`;
}
